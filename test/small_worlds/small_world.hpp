// A world so small that all that can happen in it can be tried.
#pragma once

#include "small_client.hpp"
#include "small_limits.hpp"
#include "small_lock.hpp"
#include "small_server.hpp"
#include "small_several.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace turnstile::test {

/// Time stands still as long as anything is under way. What can happen next is a list of choices in
/// a fixed order, so that a run is told by the numbers of its choices.
class small_world {
public:
    struct choice {
        enum class kind {
            start,     // the next acquire of a client
            release,   // a held lock
            downgrade, // one that is held to write
            upgrade,   // one that is held to read
            take_in,   // the server reads from a client's connection
            late,      // or from one that the client has left
            gone,      // what is left on such a one is lost
            hear,      // a client reads
            pass_time, // to the next timer of all
            cut,
            session_end,
            cancel,
        };
        kind what{};
        std::size_t client = 0;
        protocol::ticket_id ticket = 0;

        bool operator==(const choice&) const = default;
        std::string str() const;
    };

    small_world(const small_limits& limits, const small_deal& dealt);

    /// All that can happen next; at the end of a run, only faults.
    std::vector<choice> choices() const;
    /// Sets of choices of which one is enough, provided that none of it changes what anybody
    /// believes; docs/internals/small_worlds.md says why.
    std::vector<std::vector<choice>> enough() const;
    std::uint64_t changes_of_belief() const { return judge_.changes(); }
    void take(const choice& next);
    /// Equal digests: states that differ in nothing but names. `forgotten` is a part of the state
    /// that is left out of it.
    std::uint64_t state(std::string_view forgotten = {}) const;
    /// Equal digests: equal pasts, but for what makes no difference.
    std::uint64_t past() const;
    std::vector<std::string> violations() const;
    /// Everybody was served.
    bool finished() const;
    /// Nothing is under way.
    bool quiet() const;
    /// Lets everything under way arrive and time pass, then looks at what is left.
    void run_out();

private:
    void add_several();
    void act(const choice& next);
    void start(const choice& next);
    void release(const choice& next);
    void cancel(const choice& next);
    void let_hear();
    void pass_time();
    bool finds_forgotten() const;
    void describe_beliefs(state_words& to) const;
    void add_work(std::size_t who, std::vector<choice>& to) const;
    void add_own_work(std::size_t who, std::vector<choice>& to) const;
    void add_own_faults(std::size_t who, std::vector<choice>& to) const;
    bool is_unheard(std::size_t who) const;

    small_limits limits_;
    small_lock lock_;
    promises::judge judge_;
    small_server server_;
    std::vector<std::unique_ptr<small_client>> clients_;
    std::vector<std::unique_ptr<small_several>> several_;   // by client, or none
    event_queue events_;                                    // what they are about to hear
    std::vector<std::vector<protocol::ticket_id>> planned_; // by client
    std::vector<std::vector<protocol::ticket_id>> begun_;   // by client
    std::vector<std::size_t> groups_;                       // by client: those that are alike
    std::vector<small_faults> faults_;                      // by client
    protocol::instant now_{};
    bool stuck_ = false;     // nothing is under way, and time changes nothing
    bool forgotten_ = false; // nothing is under way, and somebody waits for nobody
};

} // namespace turnstile::test
