// SPDX-License-Identifier: BSL-1.0
// A lock that one ticket holds.
#pragma once

#include "protocol/names/ticket_id.hpp"
#include "protocol/time/instant.hpp"
#include "protocol/wire/failure.hpp"
#include "session/locks/lock_object.hpp"
#include "session/locks/lock_state.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace turnstile::detail {

class session_impl;

/// One handle on a lock that one ticket holds. The handle that was granted (`first`) has what all
/// handles of the lock share: token, loss, deadline. held_lock owns a handle; the session refers to
/// it while it is held. The session's strand alone changes it; it may be read on any thread.
class ticket_lock final : public lock_state {
public:
    ticket_lock(std::shared_ptr<session_impl> session, std::shared_ptr<lock_record> record,
                protocol::ticket_id id, fencing_token token, lease_clock::time_point granted_at,
                const std::optional<protocol::duration>& max_hold = {})
        : session_(std::move(session)),
          record_(std::move(record)),
          id_(id),
          granted_at_(granted_at),
          limit_(max_hold ? granted_at + *max_hold : lease_clock::time_point::max()),
          token_(token.czxid()) {}
    /// A further handle on the lock of `first`.
    ticket_lock(std::shared_ptr<ticket_lock> first, protocol::ticket_id id)
        : session_(first->session_),
          record_(first->record_),
          id_(id),
          granted_at_(first->granted_at_),
          limit_(first->limit_),
          first_(std::move(first)) {}

    protocol::ticket_id id() const { return id_; }
    const std::shared_ptr<session_impl>& session() const { return session_; }
    /// The id of the acquire that was granted, whichever handle this is.
    protocol::ticket_id acquire_id() const { return first().id_; }
    /// The number of handles that are neither released nor lost, to be counted by the caller. On
    /// the session's strand.
    std::size_t& handles() { return first().handles_; }
    /// Notes whether the lock is at risk. Returns whether that has changed, by this or another
    /// handle of the lock. On the session's strand.
    bool note_risk(bool at_risk) { return std::exchange(first().at_risk_, at_risk) != at_risk; }
    const std::shared_ptr<lock_record>& record() const { return record_; }
    lease_clock::time_point granted_at() const { return granted_at_; }

    const boost::asio::any_io_executor& executor() const override;
    fencing_token token() const override {
        return fencing_token(first().token_.load(std::memory_order_acquire));
    }
    /// From here on it is held to write, with this token. On the session's strand.
    void upgrade(fencing_token token) {
        first().token_.store(token.czxid(), std::memory_order_release);
    }
    lease_clock::time_point deadline() const override;
    bool is_held() const override;
    bool is_at_risk() const override;
    bool is_closed() const override { return loss() == protocol::failure::session_closed; }

    std::shared_ptr<lock_state> share() override;
    std::vector<std::shared_ptr<ticket_lock>> tickets() override { return {self()}; }
    void start(lock_operation what, plain_handler&& done) override;
    void release() noexcept override;
    void on_dropped() noexcept override;

    /// `none` while the lock is not lost.
    protocol::failure loss() const { return first().loss_.load(std::memory_order_acquire); }
    /// The first call counts, by whichever handle.
    void lose(protocol::failure why, lease_clock::time_point deadline) {
        auto& shared = first();
        if (shared.loss() != protocol::failure::none)
            return; // another handle was notified before
        shared.deadline_ = deadline;
        shared.loss_.store(why, std::memory_order_release);
    }
    /// The deadline if the lock is not lost: that of the lease, or a margin after the limit of
    /// path_lock::at_most if that is earlier.
    lease_clock::time_point deadline_in_force() const;
    /// From here on the lock counts as lost, whatever the lease says: the end of the time of
    /// path_lock::at_most.
    lease_clock::time_point limit() const { return limit_; }
    /// That instant is near.
    void note_limit_near() { first().limit_near_.store(true, std::memory_order_release); }
    bool is_limit_near() const { return first().limit_near_.load(std::memory_order_acquire); }
    /// The deadline if the lock is lost: as it was at the loss.
    lease_clock::time_point last_deadline() const { return first().deadline_; }

private:
    std::shared_ptr<ticket_lock> self() {
        return std::static_pointer_cast<ticket_lock>(shared_from_this());
    }

    const ticket_lock& first() const { return first_ ? *first_ : *this; }
    ticket_lock& first() { return first_ ? *first_ : *this; }

    const std::shared_ptr<session_impl> session_;
    const std::shared_ptr<lock_record> record_;
    const protocol::ticket_id id_;
    const lease_clock::time_point granted_at_;
    const lease_clock::time_point limit_;        // without one: the clock's last instant
    const std::shared_ptr<ticket_lock> first_{}; // null if this is the first handle

    // Used in the first handle alone.
    std::size_t handles_ = 1;
    bool at_risk_ = false;                // the risk was reported to the observer
    std::atomic<bool> limit_near_{false}; // the end of the time of path_lock::at_most is near
    std::atomic<std::uint64_t> token_{0}; // a czxid; an upgrade changes it
    lease_clock::time_point deadline_{};  // written before the loss, read after it
    std::atomic<protocol::failure> loss_{protocol::failure::none};
};

} // namespace turnstile::detail
