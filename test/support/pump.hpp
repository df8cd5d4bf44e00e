// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <functional>

namespace turnstile::test {

enum class pumped {
    done,
    limit_over,
    nothing_left, ///< to be run
};

/// Runs the context until `done()`, which is asked after each handler and every 20 ms.
pumped pump_until(boost::asio::io_context& context, const std::function<bool()>& done,
                  std::chrono::milliseconds limit);

/// Asks at most every few milliseconds, and says no in between: asking a server after each handler
/// would slow down what is waited for.
std::function<bool()> now_and_then(std::function<bool()> ask);

} // namespace turnstile::test
