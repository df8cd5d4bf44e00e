// SPDX-License-Identifier: BSL-1.0
#include <turnstile/path_lock.hpp>

#include "locks/lock_object.hpp"

#include <turnstile/lock_view.hpp>
#include <turnstile/semaphore.hpp>
#include <turnstile/session.hpp>

#include <utility>

namespace turnstile {

path_lock::path_lock(session& owner, std::string path, const detail::acquire_manner& how)
    : lock_base(std::make_shared<detail::lock_object>(owner.impl_, std::move(path)), how) {}

path_lock& path_lock::operator=(path_lock&& other) noexcept {
    if (this != &other) {
        if (object_)
            object_->cancel_all();
        lock_base::operator=(std::move(other));
    }
    return *this;
}

path_lock::~path_lock() {
    if (object_)
        object_->cancel_all();
}

const std::string& path_lock::path() const noexcept { return object_->path(); }

lock_usage path_lock::usage() const noexcept { return object_->usage(); }

void path_lock::start_survey(const object_ptr& object, const detail::survey_manner& how,
                             survey_handler done) {
    object->participants(how, std::move(done));
}

void path_lock::start_evict(const object_ptr& object, const participant& who, plain_handler done) {
    object->evict(who, std::move(done));
}

void semaphore::start_set_limit(const object_ptr& object, std::uint32_t limit, plain_handler done) {
    object->set_limit(limit, std::move(done));
}

void semaphore::start_limit(const object_ptr& object, limit_handler done) {
    object->ask_limit(std::move(done));
}

void semaphore::start_remove(const object_ptr& object, plain_handler done) {
    object->remove(std::move(done));
}

const std::string& lock_view::path() const noexcept { return object_->path(); }

namespace detail {

const boost::asio::any_io_executor& executor_of(const lock_object& owner) noexcept {
    return owner.executor();
}

void start_acquire(const std::shared_ptr<lock_object>& lock, const acquire_manner& how,
                   acquire_handler&& done) {
    lock->acquire(how, std::move(done));
}

} // namespace detail
} // namespace turnstile
