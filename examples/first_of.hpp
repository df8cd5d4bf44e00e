// SPDX-License-Identifier: BSL-1.0
// Two coroutines, of which the first that ends cancels the other.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstddef>
#include <exception>
#include <tuple>
#include <utility>

/// Waits for the end of both. Tells which one was first, 0 or 1, or throws what that one threw.
/// (Asio's operator || would go on with the other one where the first one throws.)
template <class Second>
boost::asio::awaitable<std::size_t> first_of(boost::asio::awaitable<void> first,
                                             boost::asio::awaitable<Second> second) {
    namespace asio = boost::asio;
    const auto executor = co_await asio::this_coro::executor;
    auto both = asio::experimental::make_parallel_group(
        asio::co_spawn(executor, std::move(first), asio::deferred),
        asio::co_spawn(executor, std::move(second), asio::deferred));
    const auto ends = co_await both.async_wait(asio::experimental::wait_for_one(), asio::deferred);
    const std::size_t earlier = std::get<0>(ends)[0];
    const std::exception_ptr failure = earlier == 0 ? std::get<1>(ends) : std::get<2>(ends);
    if (failure)
        std::rethrow_exception(failure);
    co_return earlier;
}
