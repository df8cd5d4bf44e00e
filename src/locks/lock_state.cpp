#include "locks/lock_state.hpp"

#include "locks/completion.hpp"
#include "locks/grant_turn.hpp"

#include <utility>

namespace turnstile::detail {

const boost::asio::any_io_executor& executor_of(const lock_state& owner) noexcept {
    return owner.executor();
}

std::shared_ptr<lock_state> lock_state::take(held_lock& lock) {
    grant_turn::look_at(lock.state_.get());
    return std::exchange(lock.state_, nullptr);
}

void lock_state::downgrade(plain_handler done) {
    if (!executor())
        return; // the context is gone: the handler is destroyed uninvoked
    const home_executor home(executor());
    pending_operation<error_code>(std::move(done), home).complete(home, error::not_exclusive);
}

void lock_state::try_upgrade(plain_handler done) {
    const home_executor home(executor());
    pending_operation<error_code>(std::move(done), home).complete(home, error::not_shared);
}

} // namespace turnstile::detail
