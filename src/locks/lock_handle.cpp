#include <turnstile/detail/lock_handle.hpp>

#include "locks/lock_object.hpp"

#include <turnstile/session.hpp>

#include <utility>

namespace turnstile::detail {

lock_handle::lock_handle(session& owner, std::string path)
    : state_(std::make_shared<lock_object>(owner.impl_, std::move(path))) {}

lock_handle& lock_handle::operator=(lock_handle&& other) noexcept {
    if (this != &other) {
        if (state_)
            state_->cancel_all();
        state_ = std::move(other.state_);
    }
    return *this;
}

lock_handle::~lock_handle() {
    if (state_)
        state_->cancel_all();
}

const std::string& lock_handle::path() const noexcept { return state_->path(); }

boost::asio::any_io_executor lock_handle::get_executor() const noexcept {
    return state_->executor();
}

const boost::asio::any_io_executor& executor_of(const lock_object& owner) noexcept {
    return owner.executor();
}

lock_usage lock_handle::usage() const noexcept { return state_->usage(); }

void lock_handle::start_acquire(const std::shared_ptr<lock_object>& state,
                                const acquire_manner& how, handler&& done) {
    state->acquire(how, std::move(done));
}

void lock_handle::start_survey(const std::shared_ptr<lock_object>& state, const survey_manner& how,
                               survey_handler done) {
    state->participants(how, std::move(done));
}

void lock_handle::start_evict(const std::shared_ptr<lock_object>& state, const participant& who,
                              plain_handler done) {
    state->evict(who, std::move(done));
}

void lock_handle::start_set_limit(const std::shared_ptr<lock_object>& state, std::uint32_t limit,
                                  plain_handler done) {
    state->set_limit(limit, std::move(done));
}

void lock_handle::start_limit(const std::shared_ptr<lock_object>& state, limit_handler done) {
    state->ask_limit(std::move(done));
}

void lock_handle::start_remove(const std::shared_ptr<lock_object>& state, plain_handler done) {
    state->remove(std::move(done));
}

} // namespace turnstile::detail
