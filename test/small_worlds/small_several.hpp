// What a client of a small world does for several locks that it takes as one.
#pragma once

#include "model_multi.hpp"
#include "small_client.hpp"

#include "protocol/mutation.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace turnstile::test {

/// All parts are of its own session. What comes of a part is heard as soon as the machine's input
/// is over.
class small_several : private part_session {
public:
    struct surroundings {
        small_client& on;
        std::size_t client = 0; // its number
        std::size_t clients = 0;
        promises::judge& judge;
        event_queue& events; // for what is to be heard
        const protocol::instant& now;
        protocol::mutation planted;
    };

    explicit small_several(const surroundings& around);

    // Choices.
    void start(protocol::ticket_id id, const std::vector<protocol::acquire_request>& parts);
    void cancel(protocol::ticket_id id);
    void release_all(protocol::ticket_id id);

    bool knows(protocol::ticket_id id) const { return multis_.contains(id); }
    /// One waits for all of its parts, and for none of them.
    bool finds_forgotten() const;
    void describe(state_words& to) const;
    void add_past_to(digest& sum) const { sum.add(history_.value()); }

private:
    const std::string& name() const override { return name_; }
    bool dead() const override { return false; }
    void begin(const std::vector<part>& together) override;
    protocol::inquiry_id look_up(const protocol::acquire_request& what, key_listener then) override;
    void give_up(protocol::ticket_id id) override;
    void give_up_look_up(protocol::inquiry_id id) override;
    void release(protocol::ticket_id id) override;

    enum class choice : std::uint64_t { start, cancel, release };
    void note(choice which, protocol::ticket_id id);
    protocol::ticket_id next_id();
    void learn(const model_multi& which);
    bool waits_for_a_part(const model_multi& which) const;
    void describe(const model_multi& which, state_words& to) const;

    surroundings around_;
    std::string name_;
    std::map<protocol::ticket_id, std::unique_ptr<model_multi>> multis_;
    std::map<protocol::ticket_id, part_listener> told_;
    std::map<protocol::inquiry_id, key_listener> look_ups_; // under way
    std::map<std::string, protocol::lock_key> keys_;        // remembered, by path
    std::uint64_t asked_ = 0;                               // parts and look-ups so far
    digest history_;
};

} // namespace turnstile::test
