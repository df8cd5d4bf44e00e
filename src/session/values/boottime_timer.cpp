// SPDX-License-Identifier: BSL-1.0
#include "session/values/boottime_timer.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <sys/timerfd.h>
#include <unistd.h>
#include <utility>

namespace turnstile::detail {

boottime_timer::boottime_timer(const strand_type& strand, std::function<void()> due)
    : descriptor_(strand), fallback_(strand), due_(std::move(due)) {}

void boottime_timer::start(lease_clock::time_point at, const std::weak_ptr<void>& owner) {
    at_ = at;
    started_ = true;
    fallback_.cancel(); // it may be set, and a descriptor be had again
    if (!open() || !set(at))
        fall_back(owner);
    else if (!waiting_) // a handler that waits already serves this start, too
        wait(owner);
}

void boottime_timer::cancel() noexcept {
    started_ = false;
    close();
    fallback_.cancel();
}

void boottime_timer::close() noexcept {
    boost::system::error_code ignored; // the descriptor is closed even if this fails
    descriptor_.close(ignored);
}

bool boottime_timer::open() {
    if (descriptor_.is_open())
        return true;
    const int opened = ::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    if (opened < 0)
        return false;
    boost::system::error_code refused;
    descriptor_.assign(opened, refused);
    if (refused)
        ::close(opened);
    return !refused;
}

bool boottime_timer::set(lease_clock::time_point at) noexcept {
    // Zero would mean never.
    const auto since =
        std::max<lease_clock::duration>(at.time_since_epoch(), std::chrono::nanoseconds{1});
    const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
    const itimerspec once{.it_interval = {},
                          .it_value = {.tv_sec = static_cast<time_t>(seconds.count()),
                                       .tv_nsec = static_cast<long>((since - seconds).count())}};
    // This also clears an expiry that was not read yet: the descriptor is not readable any more.
    return ::timerfd_settime(descriptor_.native_handle(), TFD_TIMER_ABSTIME, &once, nullptr) == 0;
}

void boottime_timer::wait(const std::weak_ptr<void>& owner) {
    descriptor_.async_wait(descriptor_.wait_read,
                           [this, owner](const boost::system::error_code& error) {
                               if (const auto alive = owner.lock())
                                   on_readable(error, owner);
                           });
    waiting_ = true;
}

void boottime_timer::on_readable(const boost::system::error_code& error,
                                 const std::weak_ptr<void>& owner) {
    waiting_ = false;
    if (!started_)
        return;
    if (error == boost::asio::error::operation_aborted) // cancelled, and started again since
        return start(at_, owner);
    if (error)
        return fall_back(owner);
    started_ = false;
    due_();
}

void boottime_timer::fall_back(const std::weak_ptr<void>& owner) {
    close();
    fallback_.expires_after(at_ - lease_clock::now());
    fallback_.async_wait([this, owner](const boost::system::error_code& error) {
        const auto alive = owner.lock();
        if (!alive || error || !std::exchange(started_, false))
            return;
        due_();
    });
}

} // namespace turnstile::detail
