// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "frame_pattern.hpp"

#include <span>
#include <string_view>

namespace turnstile::matrix {

/// Where the unlucky session stands when the fault comes.
enum class standing {
    unconnected,
    connected, ///< and idle
    waiting,   ///< with its watch set
    holding,
    unresolved ///< step::lost was carried out, and a cut took the answer: it is not connected
};

/// What is there before.
enum class setting {
    plain,
    empty_path, ///< the lock path
    nobody_else ///< is in the queue before the unlucky one's loss, if it comes to that
};

/// What makes the frame come.
enum class trigger {
    acquire,
    release,             ///< by the unlucky one
    close,               ///< by the unlucky one, of its session
    downgrade,           ///< by the unlucky one
    upgrade,             ///< by the unlucky one
    predecessor_release, ///< by the one before it
    cut,                 ///< of the connection
    way_back,            ///< is open to the unlucky one again
    time                 ///< the session's beats
};

/// How somebody acquires the lock.
enum class role {
    all,    ///< as its kind does
    reader, ///< of a shared_mutex
    part    ///< one part of several locks
};

/// Who acquires it how.
struct roles {
    role first = role::all;
    role unlucky = role::all;
    role last = role::all;
};

/// One step of the protocol.
struct step {
    std::string_view name;
    bool behind_holder; ///< another session holds the lock; else the unlucky one has it to itself
    standing from;
    trigger cause;
    frame_pattern frame;
    setting before = setting::plain;
    bool cancels = false; ///< the unlucky one, as soon as the fault has met its frame
    /// What stands unresolved: of an acquire, else of the hand-over to it.
    frame_pattern lost = {test::direction::to_server, test::op::multi,
                          frame_pattern::about::lock_path, test::op::set_data};
    trigger lost_by = trigger::acquire;
    roles who = {};

    /// The unlucky one's session ends by its own will, and never comes back.
    [[nodiscard]] bool closes() const { return cause == trigger::close; }
    /// The unlucky one may believe in its lock before the steering ends. If somebody killed its
    /// session then, the next would be granted meanwhile, which no client can help.
    [[nodiscard]] bool may_believe() const {
        return (!behind_holder && before != setting::nobody_else) ||
               cause == trigger::predecessor_release || lost_by == trigger::predecessor_release;
    }
    /// The unlucky one becomes a reader.
    [[nodiscard]] bool downgrades() const {
        return cause == trigger::downgrade || lost_by == trigger::downgrade;
    }
    /// The unlucky one becomes a writer, or tries to.
    [[nodiscard]] bool upgrades() const {
        return cause == trigger::upgrade || lost_by == trigger::upgrade;
    }
    /// The unlucky one holds the lock when the fault comes, and does not let go.
    [[nodiscard]] bool keeps() const {
        return (from == standing::holding || lost_by == trigger::upgrade) &&
               cause != trigger::release && cause != trigger::downgrade && !closes();
    }
    /// The unlucky one has asked for the lock before the cause of the frame.
    [[nodiscard]] bool stands() const {
        return from != standing::unconnected && from != standing::connected;
    }
    /// The unlucky one has its ticket before the fault comes, and keeps it with its session.
    [[nodiscard]] bool has_ticket() const {
        return from == standing::unresolved ? !lost.makes_batch()
                                            : stands() || frame.is_of_ticket();
    }
};

/// Of an exclusive ticket.
std::span<const step> steps_of_ticket();
/// What a writer does that becomes a reader.
std::span<const step> steps_of_downgrade();
std::span<const step> steps_of_reader();
/// Of a writer that waits for readers.
std::span<const step> steps_of_writer();
/// What a reader does that becomes a writer, or tries to.
std::span<const step> steps_of_upgrade();
std::span<const step> steps_of_semaphore();
std::span<const step> steps_of_single_node();
std::span<const step> steps_of_several();
/// Of several locks over two sessions.
std::span<const step> steps_of_two_sessions();

} // namespace turnstile::matrix
