// SPDX-License-Identifier: BSL-1.0
// The locks of one path: the request of each kind's acquires, and the calls of the session.
#include <turnstile/path_lock.hpp>

#include "session/locks/lock_object.hpp"
#include "session/session_impl.hpp"

#include <turnstile/election.hpp>
#include <turnstile/mutex.hpp>
#include <turnstile/semaphore.hpp>
#include <turnstile/session.hpp>
#include <turnstile/shared_mutex.hpp>
#include <turnstile/single_node_mutex.hpp>

#include <boost/asio/error.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace turnstile {

path_lock::path_lock(session& owner, const protocol::acquire_request& what)
    : lock_base(std::make_shared<detail::lock_object>(owner.impl_, what, owner.impl_->next_id())) {}

path_lock& path_lock::operator=(path_lock&& other) noexcept {
    if (this != &other) {
        if (object_)
            object_->session->cancel_group(object_->record->group);
        lock_base::operator=(std::move(other));
    }
    return *this;
}

path_lock::~path_lock() {
    if (object_)
        object_->session->cancel_group(object_->record->group);
}

const std::string& path_lock::path() const noexcept { return object_->request.path; }

lock_usage path_lock::usage() const noexcept { return object_->record->usage.read(); }

const std::string& lock_view::path() const noexcept { return object_->request.path; }

lock_view lock_view::limited(std::optional<std::chrono::nanoseconds> hold) const {
    auto limited = std::make_shared<detail::lock_object>(*object_);
    limited->request.max_hold = hold;
    return lock_view(std::move(limited));
}

lock_view lock_view::asking(std::string reason) const {
    auto asks = std::make_shared<detail::lock_object>(*object_);
    if (!asks->bad.code && (asks->request.permits > 0 || asks->request.single_node))
        asks->bad = {boost::asio::error::operation_not_supported,
                     path() + ": only a lock with a line and one holder can be asked for"};
    asks->request.asks = std::move(reason);
    return lock_view(std::move(asks));
}

lock_view path_lock::asking(std::string reason) const {
    return lock_view(*this).asking(std::move(reason));
}

mutex::mutex(session& owner, std::string path) : path_lock(owner, {.path = std::move(path)}) {}

single_node_mutex::single_node_mutex(session& owner, std::string path)
    : path_lock(owner, {.path = std::move(path), .single_node = true}) {}

shared_mutex::shared_mutex(session& owner, std::string path, const shared_mutex_options& options)
    : path_lock(owner,
                {.path = std::move(path),
                 .naming = options.names == lock_names::curator ? protocol::ticket_naming::curator
                                                                : protocol::ticket_naming::lock}) {}

lock_view shared_mutex::shared() const {
    auto reader = std::make_shared<detail::lock_object>(*object_);
    reader->request.kind = protocol::ticket_kind::shared;
    return lock_view(std::move(reader));
}

semaphore::semaphore(session& owner, std::string path, std::optional<std::uint32_t> limit)
    : path_lock(owner, {.path = std::move(path), .permits = 1, .stated_limit = limit}) {}

lock_view semaphore::permits(std::uint32_t count) const {
    auto several = std::make_shared<detail::lock_object>(*object_);
    several->request.permits = std::max(count, std::uint32_t{1}); // 0 is no semaphore
    if (count == 0 && !several->bad.code)
        several->bad = {boost::asio::error::invalid_argument,
                        path() + ": permits(0), and 1 is the least"};
    return lock_view(std::move(several));
}

namespace detail {

const boost::asio::any_io_executor& executor_of(const lock_object& owner) noexcept {
    return owner.session->executor();
}

void start_acquire(const std::shared_ptr<lock_object>& lock, bool waits,
                   std::optional<std::chrono::nanoseconds> limit, acquire_handler&& done) {
    auto what = lock->request;
    what.patient = waits;
    what.limit = limit;
    lock->session->locks().acquire(*lock, std::move(what), std::move(done));
}

} // namespace detail
election::election(session& owner, std::string path)
    : path_lock(owner, {.path = std::move(path)}) {}

lock_view election::candidate(std::string value) const {
    auto one = std::make_shared<detail::lock_object>(*object_);
    one->request.value = std::move(value);
    return lock_view(std::move(one));
}

} // namespace turnstile
