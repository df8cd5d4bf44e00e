// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

namespace turnstile::test {

using clock = std::chrono::steady_clock;

enum class pumped {
    done,
    limit_over,
    nothing_left, ///< to be run
};

/// Runs the context until `done()`, which is asked after each handler and every 20 ms.
inline pumped pump_until(boost::asio::io_context& context, const std::function<bool()>& done,
                         std::chrono::milliseconds limit) {
    const auto end = clock::now() + limit;
    for (;;) {
        if (done())
            return pumped::done;
        if (clock::now() >= end)
            return pumped::limit_over;
        context.restart();
        context.run_one_for(std::chrono::milliseconds{20});
        if (context.stopped())
            return done() ? pumped::done : pumped::nothing_left;
    }
}

/// For a condition that asks a server while the thread waits: asked after each handler, it would
/// slow down what is waited for, and a slow server would starve the sessions of this thread. After
/// each question the thread has four times as long for its handlers, and 2 ms at least.
inline std::function<bool()> now_and_then(std::function<bool()> ask) {
    return [ask = std::move(ask), next = clock::time_point{}]() mutable {
        const auto begin = clock::now();
        if (begin < next)
            return false;
        const bool yes = ask();
        const auto end = clock::now();
        next = end + std::max<clock::duration>(4 * (end - begin), std::chrono::milliseconds{2});
        return yes;
    };
}

} // namespace turnstile::test
