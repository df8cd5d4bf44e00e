// One granted lock, shared by its held_lock and the session.
#pragma once

#include "protocol/listener.hpp"
#include "protocol/wire/failure.hpp"

#include <turnstile/held_lock.hpp>

#include <atomic>
#include <memory>

namespace turnstile::detail {

class session_impl;

class lock_state {
public:
    lock_state(std::shared_ptr<session_impl> session, protocol::ticket_id id, fencing_token token)
        : session_(std::move(session)), id_(id), token_(token) {}

    static held_lock own(std::shared_ptr<lock_state> state) { return held_lock(std::move(state)); }

    session_impl& session() const { return *session_; }
    protocol::ticket_id id() const { return id_; }
    const fencing_token& token() const { return token_; }

    /// none while it stands. Written on the session's strand, read anywhere.
    protocol::failure loss() const { return loss_.load(std::memory_order_acquire); }
    void lose(protocol::failure why, lease_clock::time_point deadline) {
        deadline_ = deadline;
        loss_.store(why, std::memory_order_release);
    }
    /// Of a lost one: as it stood at the loss. The session's may have moved on since.
    lease_clock::time_point last_deadline() const { return deadline_; }

private:
    const std::shared_ptr<session_impl> session_;
    const protocol::ticket_id id_;
    const fencing_token token_;
    lease_clock::time_point deadline_{}; // written before the loss, read after it
    std::atomic<protocol::failure> loss_{protocol::failure::none};
};

} // namespace turnstile::detail
