// SPDX-License-Identifier: BSL-1.0
// Keeps the session alive and its lease proved.
#pragma once

#include "protocol/session_context.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::protocol {

/// Beats each T/8 after the answer of the beat before: with a read while the session has no ticket,
/// or holds nothing and has all of them far from the front, and with a write (a check of one of its
/// tickets, held ones in turn) else. With something
/// held, a beat that is not answered within T/8 drops the connection: the C client alone would wait
/// 2T/3, and one hung server would always cost the lock. So do answers so slow that the next proof
/// would come too late. Where the servers' tick is stated, a holder reads once more between two
/// beats: the gap before one of them, so that its lease is as new as it can be.
class heartbeat {
public:
    struct subject {
        std::vector<std::string> nodes{}; // to check; none where the session has no ticket
        std::string place{};              // or a lock path to read, which tells places
    };
    enum class strength { as_chosen, barrier };
    using subject_source = std::function<subject(strength)>;
    using missing_handler = std::function<void(const std::string& node)>;
    using place_handler = std::function<void(const std::string& path, const reply& answer)>;

    heartbeat(session_context& shared, subject_source next, missing_handler missing,
              place_handler placed)
        : context_(shared),
          next_(std::move(next)),
          missing_(std::move(missing)),
          placed_(std::move(placed)),
          due_(shared.clock),
          read_due_(shared.clock),
          alarm_(shared.clock) {}

    /// The first request on a new connection: with tickets a write, which is the barrier for all
    /// that is asked after it. Where its answer proves no commit, nothing on that connection
    /// counts.
    void on_connected();
    void on_disconnected();
    /// Something is held now, or the lease has moved: beats as soon as that proves more, and at
    /// once where it does and little is left (3T/8, and what two answers take).
    void check_lease();

private:
    void beat(strength how = strength::as_chosen);
    void on_answer(const subject& what, const reply& answer, strength how);
    void beat_at(instant when);
    void read_before_beat();
    void set_alarm();
    std::optional<instant> loss_at() const;
    bool too_slow(instant proof) const;

    session_context& context_;
    subject_source next_;
    missing_handler missing_;
    place_handler placed_;
    timer due_;
    timer read_due_;
    timer alarm_;
    bool open_ = false;
    instant sent_{};
    instant latest_{};              // a beat that could prove more later waits until then at most
    duration trip_{};               // of the newest beat on this connection that did not hang
    unsigned hurried_ = 0;          // hurried beats in a row that have not moved the deadline
    std::optional<instant> proved_; // the deadline that they have not moved
};

} // namespace turnstile::protocol
