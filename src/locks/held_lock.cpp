#include <turnstile/held_lock.hpp>

#include "locks/held_view.hpp"
#include "locks/lock_state.hpp"
#include "locks/session_impl.hpp"

#include <utility>

namespace turnstile {

struct held_lock::released {
    explicit released(std::shared_ptr<detail::lock_state> the_state)
        : state(std::move(the_state)) {}
    released(const released&) = delete;
    released& operator=(const released&) = delete;
    ~released() {
        if (state && !started)
            state->session().release(state);
    }
    std::shared_ptr<detail::lock_state> state;
    bool started = false;
};

namespace {

// Each read by itself: see held_view.
struct live_reads {
    const detail::lock_state& lock;

    bool is_lost() const { return lock.loss() != protocol::failure::none; }
    lease_clock::time_point last_deadline() const { return lock.last_deadline(); }
    lease_clock::time_point deadline() const { return in_force().deadline(); }
    lease_clock::time_point told() const { return in_force().told(); }
    lease_clock::time_point risk() const { return in_force().risk(); }
    static lease_clock::time_point now() { return lease_clock::now(); }

private:
    const detail::lease_view& in_force() const { return lock.session().lease_in_force(); }
};

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
    return state_ ? state_->token() : turnstile::fencing_token();
}

lease_clock::time_point held_lock::deadline() const noexcept {
    if (!state_)
        return {};
    const live_reads reads{*state_};
    return detail::held_view(reads).deadline();
}

bool held_lock::is_held() const noexcept {
    if (!state_)
        return false;
    const live_reads reads{*state_};
    return state_->session().loses_by_deadline() ? detail::held_view(reads).is_held_by_lease()
                                                 : !reads.is_lost();
}

bool held_lock::is_at_risk() const noexcept {
    if (!state_)
        return false;
    const live_reads reads{*state_};
    return detail::held_view(reads).is_at_risk();
}

held_lock::executor_type held_lock::get_executor() const noexcept {
    return state_ ? state_->session().executor() : executor_type();
}

void held_lock::start_release(const std::shared_ptr<released>& what, handler done) {
    auto& session = what->state->session();
    if (what->started) // a deferred operation that is run twice
        return session.complete_not_held(std::move(done));
    session.release(what->state, std::move(done));
    what->started = true; // only now: what could not be started is released in the background
}

void held_lock::start_lost(const std::shared_ptr<detail::lock_state>& state, handler done) {
    state->session().await_loss(state, std::move(done));
}

void held_lock::start_at_risk(const std::shared_ptr<detail::lock_state>& state, handler done) {
    state->session().await_risk(state, std::move(done));
}

} // namespace turnstile
