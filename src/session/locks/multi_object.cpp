// SPDX-License-Identifier: BSL-1.0
#include "session/locks/multi_object.hpp"

#include "session/locks/multi_operation.hpp"

#include <turnstile/multi_lock.hpp>

#include <stdexcept>
#include <utility>

namespace turnstile::detail {

multi_object::multi_object(const std::vector<lock_view>& parts) : keys_(parts.size()) {
    if (parts.empty())
        throw std::invalid_argument("a multi_lock has one part at least");
    for (const auto& each : parts)
        parts_.push_back(each.object_->twin(each.object_->session->next_id()));
    std::map<const session_impl*, std::size_t> sessions;
    for (const auto& each : parts_) {
        const auto numbered = sessions.emplace(each->session.get(), sessions.size() + 1).first;
        // One transaction makes tickets in queues only (ticket_batch).
        const auto& request = each->request;
        const bool has_queue = !request.single_node && request.permits == 0 && !each->bad.code;
        groups_.push_back(has_queue ? numbered->second : 0);
    }
}

void multi_object::acquire(bool waits, std::optional<protocol::duration> limit, handler done) {
    if (!executor())
        return; // the context is gone: the handler is destroyed uninvoked
    const auto operation = std::make_shared<multi_operation>(shared_from_this(), waits, limit);
    operation->prepare(std::move(done));
    { // from here on cancel_all() finds it
        const std::lock_guard guard(mutex_);
        operations_.insert_or_assign(operation.get(), operation);
    }
    operation->start();
}

void multi_object::cancel_all() noexcept {
    decltype(operations_) cancelled;
    {
        const std::lock_guard guard(mutex_);
        cancelled.swap(operations_);
    }
    for (const auto& [address, weak] : cancelled)
        if (const auto each = weak.lock())
            each->cancel();
}

multi_object::keys multi_object::known_keys() const {
    const std::lock_guard guard(mutex_);
    return keys_;
}

void multi_object::keep_keys(const keys& looked_up) {
    const std::lock_guard guard(mutex_);
    keys_ = looked_up;
}

void multi_object::forget(const multi_operation& over) noexcept {
    const std::lock_guard guard(mutex_);
    operations_.erase(&over);
}

// The public headers declare these two: initiation.hpp and lock_base.hpp.

const boost::asio::any_io_executor& executor_of(const multi_object& owner) noexcept {
    return owner.executor();
}

void start_acquire(const std::shared_ptr<multi_object>& lock, bool waits,
                   std::optional<std::chrono::nanoseconds> limit, acquire_handler&& done) {
    lock->acquire(waits, limit, std::move(done));
}

} // namespace turnstile::detail

namespace turnstile {

multi_lock::multi_lock(const std::vector<lock_view>& parts)
    : lock_base(std::make_shared<detail::multi_object>(parts)) {}

multi_lock& multi_lock::operator=(multi_lock&& other) noexcept {
    if (this != &other) {
        if (object_)
            object_->cancel_all();
        lock_base::operator=(std::move(other));
    }
    return *this;
}

multi_lock::~multi_lock() {
    if (object_)
        object_->cancel_all();
}

std::size_t multi_lock::size() const noexcept { return object_->size(); }

lock_usage multi_lock::usage() const noexcept { return object_->usage()->read(); }

} // namespace turnstile
