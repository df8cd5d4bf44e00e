// SPDX-License-Identifier: BSL-1.0
// Keeps the session alive and its lease proved.
#pragma once

#include "protocol/session/lock_kinds.hpp"
#include "protocol/session_context.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::protocol {

/// Sends a beat T/8 after the answer to the one before. A beat is a write: a check of one of the
/// session's tickets, of held ones in turn. It is a read while the session has no ticket, or holds
/// nothing and has all tickets far from the front. session_machine owns this object, and chooses
/// the nodes (subject).
///
/// While a lock is held, a beat that is not answered within T/8 drops the connection. The C client
/// alone would wait 2T/3, and each hung server would cost the lock. Answers so slow that the next
/// proof would come too late drop it, too. If the servers' tick is stated, a holder reads once more
/// between two beats. The read is timed so that a later beat is sent right at the gap after its
/// answer, and so is w1 for it (lease.hpp): no older request has to be proved.
class heartbeat {
public:
    struct subject {
        std::vector<std::string> nodes{}; // the nodes to check; none if the session has no ticket
        std::string place{};              // or a lock path to read, which shows places in line
    };
    enum class strength { usual, barrier };
    using subject_source = std::function<subject(strength)>;

    heartbeat(session_context& shared, subject_source next, lock_kinds& kinds)
        : context_(shared),
          next_(std::move(next)),
          kinds_(kinds),
          due_(shared.clock),
          read_due_(shared.clock),
          alarm_(shared.clock) {}

    /// Sends the first request on a new connection. If the session has tickets it is a write, and
    /// later answers are newer than it. If its answer proves no commit, no answer on the connection
    /// counts.
    void on_connected();
    void on_disconnected();
    /// A lock is held now, or the lease has moved: beats as soon as a beat proves more. It beats at
    /// once if little of the lease is left (3T/8, and the time of two answers).
    void check_lease();

private:
    void beat(strength how = strength::usual);
    void on_answer(const subject& what, const reply& answer, strength how);
    void beat_at(instant when);
    void read_before_beat(); // sets the time of the read between two beats, if there is to be one
    void set_alarm();        // drops the connection if the open beat is not answered in time
    std::optional<instant> loss_at() const;
    bool too_slow(instant proof) const; // a proof that begins then comes too late for held locks

    session_context& context_;
    subject_source next_;
    lock_kinds& kinds_; // get what a beat has found
    timer due_;
    timer read_due_;
    timer alarm_;
    bool open_ = false;
    instant sent_{};
    instant latest_{};              // the next beat may be put off to prove more, but not past this
    duration trip_{};               // of the newest beat on this connection that did not hang
    unsigned hurried_ = 0;          // hurried beats in a row that have not moved the deadline
    std::optional<instant> proved_; // the deadline as check_lease() saw it last
};

} // namespace turnstile::protocol
