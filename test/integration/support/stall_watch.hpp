// SPDX-License-Identifier: BSL-1.0
// How long an event loop was kept busy in one piece.
#pragma once

#include <turnstile/error.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace turnstile::test {

/// A timer of a millisecond, which comes late if the thread has other things to do.
class stall_watch {
public:
    explicit stall_watch(boost::asio::io_context& context) : timer_(context) { wait(); }

    /// How late it came at worst since this was asked for last.
    std::chrono::microseconds take_longest() {
        return std::chrono::duration_cast<std::chrono::microseconds>(std::exchange(longest_, {}));
    }

private:
    void wait() {
        timer_.expires_after(std::chrono::milliseconds(1));
        timer_.async_wait([this](const error_code& failed) {
            if (failed)
                return;
            longest_ = std::max(longest_, std::chrono::steady_clock::now() - timer_.expiry());
            wait();
        });
    }

    boost::asio::steady_timer timer_;
    std::chrono::steady_clock::duration longest_{};
};

} // namespace turnstile::test
