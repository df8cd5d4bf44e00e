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
    reading,   ///< it held the lock to write, and has become a reader
    writing,   ///< it held the lock to read, and has become a writer
    unresolved ///< step::lost was carried out, and a cut took the answer: it is not connected
};

/// What is there before.
enum class setting {
    plain,
    empty_path,  ///< the lock path, and of a semaphore its nodes
    gap,         ///< the sequence before the unlucky one's is missing
    nobody_else, ///< is in line before the unlucky one's loss, if it comes to that
    crowd,       ///< so many other children that a reader marks its ticket
    behind_last, ///< a crowd, and the last one stands before the unlucky one
    overtaken    ///< the last one comes between an upgrade's question and its transaction
};

/// What makes the frame come.
enum class trigger {
    acquire,
    release,             ///< by the unlucky one
    cancel,              ///< by the unlucky one, of its acquire
    close,               ///< by the unlucky one, of its session
    downgrade,           ///< by the unlucky one
    upgrade,             ///< by the unlucky one
    predecessor_release, ///< by the one before it
    cut,                 ///< of the connection
    way_back,            ///< is open to the unlucky one again
    time                 ///< the session's beats
};

/// What the unlucky one does as soon as the fault has met its frame.
enum class second_thought { none, cancel, close };

/// How somebody acquires the lock.
enum class role {
    all,    ///< as its kind does
    reader, ///< of a shared_mutex
    part    ///< one part of several locks
};

/// Who acquires it how.
struct cast {
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
    setting scenery = setting::plain;
    second_thought then = second_thought::none;
    /// What stands unresolved: of an acquire, else of the hand-over to it.
    frame_pattern lost = {test::direction::to_server, test::op::multi,
                          frame_pattern::about::lock_path, test::op::set_data};
    trigger lost_by = trigger::acquire;
    cast who = {};

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
    /// Both hold the lock together.
    [[nodiscard]] bool beside_reader() const {
        return behind_holder && who.first == role::reader && who.unlucky == role::reader;
    }
    /// The unlucky one becomes a reader.
    [[nodiscard]] bool downgrades() const {
        return from == standing::reading || cause == trigger::downgrade ||
               lost_by == trigger::downgrade;
    }
    /// The unlucky one becomes a writer, or tries to.
    [[nodiscard]] bool upgrades() const {
        return from == standing::writing || cause == trigger::upgrade ||
               lost_by == trigger::upgrade;
    }
    /// The unlucky one holds the lock when the fault comes, and does not let go.
    [[nodiscard]] bool keeps() const {
        const bool held = from == standing::holding || from == standing::reading ||
                          from == standing::writing || lost_by == trigger::upgrade;
        return held && cause != trigger::release && cause != trigger::downgrade && !closes();
    }
    /// The unlucky one has asked for the lock before the cause of the frame.
    [[nodiscard]] bool stands() const {
        return from != standing::unconnected && from != standing::connected;
    }
    /// The unlucky one has its ticket before the fault comes, and keeps it with its session.
    [[nodiscard]] bool has_ticket() const {
        if (from == standing::unresolved)
            return !lost.makes_company();
        return stands() || frame.is_of_ticket() || scenery == setting::gap;
    }
    /// The frame is what makes the ticket.
    [[nodiscard]] bool makes_ticket() const { return frame.makes_ticket(); }
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
/// Of two mutexes and a semaphore between them.
std::span<const step> steps_of_leases_between();

} // namespace turnstile::matrix
