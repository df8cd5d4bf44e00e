// A lock that one ticket holds, shared by its held_lock and the session.
#pragma once

#include "locks/lock_record.hpp"
#include "locks/lock_state.hpp"
#include "protocol/names/ticket_id.hpp"
#include "protocol/wire/failure.hpp"

#include <atomic>
#include <memory>
#include <utility>

namespace turnstile::detail {

class session_impl;

class ticket_lock final : public lock_state {
public:
    ticket_lock(std::shared_ptr<session_impl> session, std::shared_ptr<lock_record> of,
                protocol::ticket_id id, fencing_token token, lease_clock::time_point granted_at)
        : session_(std::move(session)),
          of_(std::move(of)),
          id_(id),
          token_(token),
          granted_at_(granted_at) {}

    protocol::ticket_id id() const { return id_; }
    const session_impl& session() const { return *session_; }
    const std::shared_ptr<lock_record>& of() const { return of_; }
    lease_clock::time_point granted_at() const { return granted_at_; }

    const boost::asio::any_io_executor& executor() const override;
    const fencing_token& token() const override { return token_; }
    lease_clock::time_point deadline() const override;
    bool is_held() const override;
    bool is_at_risk() const override;

    void release(plain_handler done) override;
    void release() noexcept override;
    void await_loss(plain_handler done) override;
    void await_risk(plain_handler done) override;
    void complete_not_held(plain_handler done) override;

    /// none while it stands. Written on the session's strand, read anywhere.
    protocol::failure loss() const { return loss_.load(std::memory_order_acquire); }
    void lose(protocol::failure why, lease_clock::time_point deadline) {
        deadline_ = deadline;
        loss_.store(why, std::memory_order_release);
    }
    /// Of a lost one: as it stood at the loss. The session's may have moved on since.
    lease_clock::time_point last_deadline() const { return deadline_; }

private:
    std::shared_ptr<ticket_lock> self() {
        return std::static_pointer_cast<ticket_lock>(shared_from_this());
    }

    const std::shared_ptr<session_impl> session_;
    const std::shared_ptr<lock_record> of_;
    const protocol::ticket_id id_;
    const fencing_token token_;
    const lease_clock::time_point granted_at_;
    lease_clock::time_point deadline_{}; // written before the loss, read after it
    std::atomic<protocol::failure> loss_{protocol::failure::none};
};

} // namespace turnstile::detail
