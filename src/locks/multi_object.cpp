#include "locks/multi_object.hpp"

#include "locks/multi_operation.hpp"

#include <turnstile/detail/multi_handle.hpp>

#include <stdexcept>
#include <utility>

namespace turnstile {

lock_part::lock_part(const detail::lock_handle& lock, const detail::acquire_manner& how)
    : lock_(lock.state()->twin()), how_(how) {}

const std::string& lock_part::path() const noexcept { return lock_->path(); }

} // namespace turnstile

namespace turnstile::detail {

multi_object::multi_object(std::vector<lock_part> parts)
    : parts_(std::move(parts)), keys_(parts_.size()) {
    if (parts_.empty())
        throw std::invalid_argument("a multi_lock has one part at least");
    std::map<const session_impl*, std::size_t> sessions;
    for (const auto& each : parts_) {
        const auto number = sessions.emplace(each.lock_->session().get(), sessions.size() + 1);
        const bool has_ticket =
            !each.how_.single_node && each.how_.leases == 0 && !each.lock_->bad();
        groups_.push_back(has_ticket ? number.first->second : 0);
    }
}

void multi_object::acquire(const acquire_manner& how, handler done) {
    if (!executor())
        return; // the context is gone: the handler is destroyed uninvoked
    const auto added = std::make_shared<multi_operation>(shared_from_this(), how);
    added->prepare(std::move(done));
    {
        const std::lock_guard guard(mutex_);
        operations_.insert_or_assign(added.get(), added);
    }
    added->start();
}

void multi_object::cancel_all() noexcept {
    decltype(operations_) all;
    {
        const std::lock_guard guard(mutex_);
        all.swap(operations_);
    }
    for (const auto& [address, weak] : all)
        if (const auto each = weak.lock())
            each->cancel();
}

multi_object::keys multi_object::known() const {
    const std::lock_guard guard(mutex_);
    return keys_;
}

void multi_object::learn(const keys& found) {
    const std::lock_guard guard(mutex_);
    keys_ = found;
}

void multi_object::forget(const multi_operation& over) noexcept {
    const std::lock_guard guard(mutex_);
    operations_.erase(&over);
}

multi_handle::multi_handle(std::vector<lock_part> parts)
    : state_(std::make_shared<multi_object>(std::move(parts))) {}

multi_handle& multi_handle::operator=(multi_handle&& other) noexcept {
    if (this != &other) {
        if (state_)
            state_->cancel_all();
        state_ = std::move(other.state_);
    }
    return *this;
}

multi_handle::~multi_handle() {
    if (state_)
        state_->cancel_all();
}

boost::asio::any_io_executor multi_handle::get_executor() const noexcept {
    return state_->executor();
}

const boost::asio::any_io_executor& executor_of(const multi_object& owner) noexcept {
    return owner.executor();
}

std::size_t multi_handle::size() const noexcept { return state_->size(); }

lock_usage multi_handle::usage() const noexcept { return state_->usage()->read(); }

void multi_handle::start_acquire(const std::shared_ptr<multi_object>& state,
                                 const acquire_manner& how, handler done) {
    state->acquire(how, std::move(done));
}

} // namespace turnstile::detail
