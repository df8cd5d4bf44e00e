// SPDX-License-Identifier: BSL-1.0
// A scenario's coroutine.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <exception>
#include <utility>

namespace turnstile::bench {

/// Runs `what` on the context until nothing is left to be run there. Throws what it throws.
inline void run_to_end(boost::asio::io_context& context, boost::asio::awaitable<void> what) {
    boost::asio::co_spawn(context, std::move(what), [](const std::exception_ptr& failure) {
        if (failure)
            std::rethrow_exception(failure);
    });
    context.run();
}

} // namespace turnstile::bench
