// SPDX-License-Identifier: BSL-1.0
// A user of several locks taken as one: the protocol's machine for it, on sessions of the
// simulation.
#pragma once

#include "model/event_queue.hpp"
#include "model_client.hpp"

#include "promises/judge.hpp"
#include "protocol/multi/multi_acquire.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::test {

/// The judge sees each part as an acquire of its own lock, and the whole as an acquire of
/// `several`. The latter shows whether it completes once, and is served.
inline constexpr promises::lock_kind several{
    .name = "several", .places = ~promises::units{0}, .tokens_grow = false, .in_order = false};

/// Carries out what the machine says, as the library's multi_operation does: each part on its own
/// session, one answer after the other. All is lost with any part. `simulation` owns it.
class model_multi {
public:
    struct part {
        model_client* on = nullptr;
        protocol::acquire_request what{};
    };
    using keys = std::vector<std::optional<protocol::lock_key>>;
    struct surroundings {
        event_queue& events;
        promises::judge& judge;
        std::function<protocol::ticket_id()> next_id;
        std::function<void(const std::string&)> trace; // may be empty
        std::function<void(model_multi&)> on_held;
    };

    /// `known`: the keys of its lock paths, as far as the process remembers them.
    model_multi(const surroundings& around, std::vector<part> parts, keys known,
                std::optional<protocol::duration> limit);

    void start();
    /// These two do nothing once it is over.
    void cancel();
    void release();
    /// One of its processes has died, and calls nothing any more.
    void abandon();

    bool is_on(const model_client& session) const;
    bool waits() const { return stage() == promises::stage::waiting; }
    /// The keys by which all parts were granted.
    const keys& found() const { return machine_.keys(); }
    const std::vector<part>& parts() const { return parts_; }

private:
    using machine = protocol::multi_acquire;

    struct state {                        // the state of a part
        protocol::ticket_id id = 0;       // its last acquire
        protocol::inquiry_id look_up = 0; // its last look-up
    };

    void perform(const machine::actions& todo);
    void perform(const machine::action& what); // any action but an acquire
    /// Begins one acquire, or all of one transaction. Returns how many these were.
    std::size_t acquire(const machine::actions& todo, std::size_t first);
    void look_up(const machine::action& what);
    void cancel_part(std::size_t which);
    void release_part(std::size_t which);
    void release_all();
    void refuse(std::size_t which);
    void on_part(std::size_t which, protocol::ticket_id id, promises::happening what,
                 protocol::failure why);
    void on_part_failed(std::size_t which, protocol::failure why);
    void finish();
    void end(const std::string& reason, bool expected);
    promises::stage stage() const { return around_.judge.stage_of(id_); }
    void see(promises::event what);
    void note(const std::string& text) {
        if (around_.trace)
            around_.trace("several " + std::to_string(id_) + ' ' + text);
    }

    surroundings around_;
    std::vector<part> parts_;
    std::vector<state> states_;
    protocol::ticket_id id_;
    std::string reason_; // why the last part failed
    bool cancelled_ = false;
    machine machine_;
};

} // namespace turnstile::test
