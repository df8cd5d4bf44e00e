// SPDX-License-Identifier: BSL-1.0
// How a session ends: by its owner, by a failure within, with its execution context, in a fork.
#include "locks/session_impl.hpp"
#include "locks/session_service.hpp"

#include <boost/asio/error.hpp>

#include <utility>

namespace turnstile::detail {

namespace asio = boost::asio;

void session_impl::end(const error_code& why) {
    connects_.complete_all(home_, why);
    closes_.complete_all(home_, {});
    state_waits_.complete_all(home_, why, state());
}

void session_impl::on_failure() noexcept {
    if (failed_.exchange(true))
        return;
    // Before the driver ends the session at the server, and so hands the locks on.
    locks_.lose_silently(protocol::failure::session_closed);
    driver_->abandon();
    session_id_.store(0, std::memory_order_release);
    timeout_.store({}, std::memory_order_release);
    state_.store(session_state::closed, std::memory_order_release);
    fail_all(asio::error::no_memory);
}

void session_impl::fail_all(const error_code& why) noexcept {
    connects_.complete_all(home_, why);
    closes_.complete_all(home_, {});
    state_waits_.complete_all(home_, {}, session_state::closed);
    lookups_.complete_all(home_, why, {});
    acquires_.fail_all(home_, why);
    surveyors_.fail_all(home_, why);
    changes_.fail_all(home_, why);
    locks_.fail_all(why);
}

void session_impl::on_context_shutdown() {
    service_ = nullptr;
    // Before the driver ends the session at the server, and so hands the locks on.
    locks_.lose_silently(protocol::failure::session_closed);
    state_.store(session_state::closed, std::memory_order_release);
    session_id_.store(0, std::memory_order_release);
    timeout_.store({}, std::memory_order_release);
    leave_to_parent();
    home_ = {}; // a strand refers to the context
    // Handlers may own sessions, mutexes and held locks: these must find the driver gone.
    const auto driver = std::exchange(driver_, nullptr);
    const auto connects = connects_.take();
    const auto closes = closes_.take();
    const auto waits = state_waits_.take();
    const auto lookups = lookups_.take();
    const auto acquires = acquires_.take();
    const auto surveyors = surveyors_.take();
    const auto changes = changes_.take();
    const auto locks = locks_.take();
}

void session_impl::leave_to_parent() {
    // In a forked child the socket and the reactor are the parent's: touch neither, ever.
    if (driver_ && is_forked())
        new std::shared_ptr<session_driver>(std::move(driver_));
}

} // namespace turnstile::detail
