#include <turnstile/held_lock.hpp>

#include "locks/completion.hpp"
#include "locks/lock_state.hpp"
#include "locks/session_core.hpp"

#include <boost/asio/system_executor.hpp>

#include <utility>

namespace turnstile {

struct held_lock::released {
    explicit released(std::shared_ptr<detail::lock_state> the_state)
        : state(std::move(the_state)) {}
    released(const released&) = delete;
    released& operator=(const released&) = delete;
    ~released() {
        if (state)
            state->session().release(state);
    }
    std::shared_ptr<detail::lock_state> state;
};

namespace {

// There is no session to ask for an executor: the handler's own must do.
void complete_not_held(boost::asio::any_completion_handler<void(error_code)> done) {
    const detail::home_executor nowhere{boost::asio::system_executor()};
    detail::pending_operation<error_code>(std::move(done), nowhere)
        .complete(nowhere, error::not_held);
}

} // namespace

held_lock& held_lock::operator=(held_lock&& other) noexcept {
    if (this != &other) {
        if (state_)
            state_->session().release(state_);
        state_ = std::move(other.state_);
    }
    return *this;
}

held_lock::~held_lock() {
    if (state_)
        state_->session().release(state_);
}

std::shared_ptr<held_lock::released> held_lock::take() {
    if (!state_)
        return nullptr;
    auto leaving = std::make_shared<released>(nullptr); // where this fails, the lock stays here
    leaving->state = std::exchange(state_, nullptr);
    return leaving;
}

turnstile::fencing_token held_lock::fencing_token() const noexcept {
    return turnstile::fencing_token(state_ ? state_->czxid() : 0);
}

lease_clock::time_point held_lock::deadline() const noexcept {
    if (!state_)
        return {};
    return state_->loss() == protocol::failure::none ? state_->session().lease_in_force().deadline()
                                                     : state_->last_deadline();
}

bool held_lock::is_held() const noexcept {
    if (!state_ || state_->loss() != protocol::failure::none)
        return false;
    const auto& session = state_->session();
    return !session.loses_by_deadline() || lease_clock::now() < session.lease_in_force().told();
}

bool held_lock::is_at_risk() const noexcept {
    return state_ && (state_->loss() != protocol::failure::none ||
                      lease_clock::now() >= state_->session().lease_in_force().risk());
}

held_lock::executor_type held_lock::get_executor() const noexcept {
    if (!state_)
        return boost::asio::system_executor();
    return state_->session().executor();
}

void held_lock::start_release(const std::shared_ptr<released>& what, handler done) {
    if (!what->state)
        return complete_not_held(std::move(done));
    what->state->session().release(what->state, std::move(done));
    what->state.reset(); // only now: what could not be started is released in the background
}

void held_lock::start_lost(const std::shared_ptr<detail::lock_state>& state, handler done) {
    if (!state)
        return complete_not_held(std::move(done));
    state->session().await_loss(state, std::move(done));
}

void held_lock::start_at_risk(const std::shared_ptr<detail::lock_state>& state, handler done) {
    if (!state)
        return complete_not_held(std::move(done));
    state->session().await_risk(state, std::move(done));
}

} // namespace turnstile
