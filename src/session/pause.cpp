// SPDX-License-Identifier: BSL-1.0
#include "session/session_backend.hpp"

#include <turnstile/detail/pause.hpp>

#include <boost/asio/steady_timer.hpp>

namespace turnstile::detail {

struct pause_timer::timer : boost::asio::steady_timer {
    using boost::asio::steady_timer::steady_timer;
};

pause_timer::pause_timer(const boost::asio::any_io_executor& where)
    : timer_(std::make_shared<timer>(where)) {}

pause_timer::~pause_timer() = default;

void pause_timer::start(std::chrono::nanoseconds span,
                        boost::asio::any_completion_handler<void(error_code)> done) {
    const auto ring = [weak = std::weak_ptr(timer_)] {
        if (const auto still = weak.lock())
            still->cancel();
    };
    if (await_test_time(context_of(timer_->get_executor()), span, ring))
        timer_->expires_at(std::chrono::steady_clock::time_point::max());
    else
        timer_->expires_after(span);
    timer_->async_wait(std::move(done));
}

} // namespace turnstile::detail
