// SPDX-License-Identifier: BSL-1.0
#include <turnstile/held_lock.hpp>

#include "session/completion.hpp"
#include "session/locks/lock_state.hpp"
#include "session/locks/ticket_lock.hpp"
#include "session/session_impl.hpp"

#include <boost/asio/recycling_allocator.hpp>

namespace turnstile {

namespace detail {

const boost::asio::any_io_executor& executor_of(const lock_state& owner) noexcept {
    return owner.executor();
}

std::shared_ptr<lock_state> lock_state::take(held_lock& lock) {
    grant_turn::look_at(lock.state_.get());
    return std::exchange(lock.state_, nullptr);
}

void lock_state::refuse(plain_handler&& done, error why) const {
    if (executor()) // else the context is gone: the handler is destroyed uninvoked
        pending_operation<error_code>(std::move(done), executor()).complete(why);
}

} // namespace detail

struct held_lock::released {
    explicit released(std::shared_ptr<detail::lock_state> the_state)
        : state(std::move(the_state)) {}
    released(const released&) = delete;
    released& operator=(const released&) = delete;
    ~released() {
        if (state && !started)
            state->release();
    }
    std::shared_ptr<detail::lock_state> state;
    bool started = false;
};

held_lock& held_lock::operator=(held_lock&& other) noexcept {
    if (this != &other) {
        if (state_)
            state_->release();
        state_ = std::move(other.state_);
    }
    return *this;
}

held_lock::~held_lock() {
    if (!state_)
        return;
    if (detail::grant_turn::drops(state_.get()))
        state_->on_dropped();
    state_->release();
}

detail::lock_state* held_lock::used() const noexcept {
    detail::grant_turn::look_at(state_.get());
    return state_.get();
}

held_lock held_lock::share() const { return used() ? held_lock(state_->share()) : held_lock(); }

std::shared_ptr<held_lock::released> held_lock::take() {
    if (!state_)
        return nullptr;
    used();
    // If there is no memory, the lock stays here.
    auto leaving =
        std::allocate_shared<released>(boost::asio::recycling_allocator<released>(), nullptr);
    leaving->state = std::exchange(state_, nullptr);
    return leaving;
}

turnstile::fencing_token held_lock::fencing_token() const noexcept {
    const auto state = used();
    return state ? state->token() : turnstile::fencing_token();
}

std::vector<turnstile::fencing_token> held_lock::fencing_tokens() const {
    const auto state = used();
    return state ? state->tokens() : std::vector<turnstile::fencing_token>();
}

lease_clock::time_point held_lock::deadline() const noexcept {
    const auto state = used();
    return state ? state->deadline() : lease_clock::time_point();
}

bool held_lock::is_held() const noexcept {
    const auto state = used();
    return state && state->is_held();
}

bool held_lock::is_at_risk() const noexcept {
    const auto state = used();
    return state && state->is_at_risk();
}

held_lock::executor_type held_lock::get_executor() const noexcept {
    return state_ ? state_->executor() : executor_type();
}

const held_lock::executor_type& executor_of(const held_lock::released& owner) noexcept {
    return owner.state->executor();
}

void held_lock::start_release(const std::shared_ptr<released>& what, handler&& done) {
    if (what->started) // a deferred operation that is run twice
        return what->state->refuse(std::move(done), error::not_held);
    what->state->start(detail::lock_operation::release, std::move(done));
    what->started = true; // only now: what could not be started is released in the background
}

// session_queries.cpp has start_yield(), and session_writes.cpp the starts of the writes.
void held_lock::start(const state_ptr& state, detail::lock_operation what, handler done) {
    state->start(what, std::move(done));
}

} // namespace turnstile
