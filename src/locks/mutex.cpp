#include <turnstile/mutex.hpp>

#include "locks/mutex_state.hpp"

#include <utility>

namespace turnstile {

mutex::mutex(turnstile::session& owner, std::string path)
    : state_(std::make_shared<detail::mutex_state>(owner.impl_, std::move(path),
                                                   protocol::ticket_kind::exclusive)) {}

mutex& mutex::operator=(mutex&& other) noexcept {
    if (this != &other) {
        if (state_)
            state_->cancel_acquires();
        state_ = std::move(other.state_);
    }
    return *this;
}

mutex::~mutex() {
    if (state_)
        state_->cancel_acquires();
}

const std::string& mutex::path() const noexcept { return state_->path(); }
mutex::executor_type mutex::get_executor() const noexcept { return state_->executor(); }

void mutex::start_acquire(const std::shared_ptr<detail::mutex_state>& state, manner how,
                          handler done) {
    state->acquire(how.patient, how.limit, std::move(done));
}

} // namespace turnstile
