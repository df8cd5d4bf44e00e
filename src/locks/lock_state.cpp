#include "locks/lock_state.hpp"

#include "locks/completion.hpp"

namespace turnstile::detail {

void lock_state::downgrade(plain_handler done) {
    const home_executor home(executor());
    pending_operation<error_code>(std::move(done), home).complete(home, error::not_exclusive);
}

} // namespace turnstile::detail
