// SPDX-License-Identifier: BSL-1.0
#include "session/lock_state.hpp"

#include "session/completion.hpp"
#include "session/grant_turn.hpp"

#include <utility>

namespace turnstile::detail {

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

} // namespace turnstile::detail
