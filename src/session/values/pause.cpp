// SPDX-License-Identifier: BSL-1.0
#include "session/session_backend.hpp"

#include <turnstile/detail/pause.hpp>

#include <boost/asio/consign.hpp>
#include <boost/asio/steady_timer.hpp>

#include <memory>

namespace turnstile::detail {

namespace asio = boost::asio;

void start_pause(const asio::any_io_executor& where, std::chrono::nanoseconds span,
                 asio::any_completion_handler<void(error_code)> done) {
    const auto timer = std::make_shared<asio::steady_timer>(where);
    const auto ring = [weak = std::weak_ptr(timer)] {
        if (const auto still = weak.lock())
            still->cancel();
    };
    if (await_test_time(context_of(where), span, ring))
        timer->expires_at(std::chrono::steady_clock::time_point::max());
    else
        timer->expires_after(span);
    timer->async_wait(asio::consign(std::move(done), timer));
}

} // namespace turnstile::detail
