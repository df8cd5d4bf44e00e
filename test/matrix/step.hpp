#pragma once

#include "support/proxy_rule.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace turnstile::matrix {

/// Where the unlucky session stands when the fault comes.
enum class standing {
    unconnected,
    connected, ///< and idle
    waiting,   ///< with its watch set
    holding,
    reading,   ///< it held the lock to write, and has become a reader
    unresolved ///< step::lost was carried out, and a cut took the answer: it is not connected
};

/// What is there before.
enum class setting {
    plain,
    empty_path, ///< the lock path, and of a semaphore its nodes
    gap,        ///< the sequence before the unlucky one's is missing
    nobody_else ///< is in line before the unlucky one's loss, if it comes to that
};

/// What makes the frame come.
enum class trigger {
    acquire,
    release,             ///< by the unlucky one
    cancel,              ///< by the unlucky one, of its acquire
    close,               ///< by the unlucky one, of its session
    downgrade,           ///< by the unlucky one
    predecessor_release, ///< by the one before it
    cut,                 ///< of the connection
    way_back,            ///< is open to the unlucky one again
    time                 ///< the session's beats
};

/// What the unlucky one does as soon as the fault has met its frame.
enum class second_thought { none, cancel, close };

/// Which frame is meant.
struct frame_pattern {
    enum class about {
        handshake,
        lock_path,
        reader, ///< a ticket of one that was a writer
        ticket, ///< in a line
        limit,  ///< of a semaphore; this and the next ones
        queue,
        place, ///< a ticket
        leases,
        lease
    };

    test::direction direction;
    test::op op;
    about what;
    test::op part = test::op::any; ///< of a transaction

    /// The rule is for such a frame. `session` is the unlucky one's, 0 before it has one.
    void aim(test::proxy_rule& rule, const std::string& path, std::int64_t session) const;
};

/// One step of the protocol.
struct step {
    std::string_view name;
    bool behind_holder; ///< another session holds the lock; else the unlucky one has it to itself
    standing from;
    trigger cause;
    frame_pattern frame;
    setting scenery = setting::plain;
    second_thought then = second_thought::none;
    /// What stands unresolved: of an acquire, else of the hand-over to it.
    frame_pattern lost = {test::direction::to_server, test::op::multi,
                          frame_pattern::about::lock_path, test::op::set_data};
    trigger lost_by = trigger::acquire;

    /// The unlucky one gives its acquire up.
    [[nodiscard]] bool cancels() const {
        return cause == trigger::cancel || then == second_thought::cancel;
    }
    /// The unlucky one's session ends by its own will, and never comes back.
    [[nodiscard]] bool closes() const {
        return cause == trigger::close || then == second_thought::close;
    }
    /// The unlucky one may believe in its lock before the steering ends. If somebody killed its
    /// session then, the next would be granted meanwhile, which no client can help.
    [[nodiscard]] bool may_believe() const {
        return (!behind_holder && scenery != setting::nobody_else) ||
               cause == trigger::predecessor_release || lost_by == trigger::predecessor_release;
    }
    /// The unlucky one becomes a reader.
    [[nodiscard]] bool downgrades() const {
        return from == standing::reading || cause == trigger::downgrade ||
               lost_by == trigger::downgrade;
    }
    /// The unlucky one has its ticket before the fault comes.
    [[nodiscard]] bool has_ticket() const {
        return from == standing::waiting || from == standing::holding ||
               from == standing::reading || from == standing::unresolved ||
               frame.what == frame_pattern::about::ticket ||
               frame.what == frame_pattern::about::place || scenery == setting::gap;
    }
    /// The frame is what makes the ticket.
    [[nodiscard]] bool makes_ticket() const {
        return (frame.what == frame_pattern::about::lock_path ||
                frame.what == frame_pattern::about::queue) &&
               frame.op == test::op::multi && frame.part == test::op::set_data;
    }
};

/// Of an exclusive ticket.
std::span<const step> steps_of_ticket();
/// What a writer does that becomes a reader.
std::span<const step> steps_of_downgrade();
std::span<const step> steps_of_semaphore();
std::span<const step> steps_of_single_node();

} // namespace turnstile::matrix
