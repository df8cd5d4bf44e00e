// SPDX-License-Identifier: BSL-1.0
// Coroutines that wait for the same thing.
#pragma once

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace turnstile::bench {

class wait_list {
public:
    boost::asio::awaitable<void> wait() {
        return boost::asio::async_initiate<const boost::asio::use_awaitable_t<>&,
                                           void(std::exception_ptr)>(
            [this](auto handler) { waiting_.emplace_back(std::move(handler)); },
            boost::asio::use_awaitable);
    }
    std::size_t size() const { return waiting_.size(); }

    /// Each goes on within this call. `why` is what its wait throws, if it failed.
    void wake(const std::exception_ptr& why = nullptr) {
        for (auto& each : std::exchange(waiting_, {}))
            std::move(each)(why);
    }
    /// The same in a random order.
    void wake_in_any_order(std::mt19937& dice) {
        auto all = std::exchange(waiting_, {});
        // Not the handlers themselves: they cannot be assigned in Boost 1.81.
        std::vector<std::size_t> order(all.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::shuffle(order.begin(), order.end(), dice);
        for (const auto i : order)
            std::move(all[i])(std::exception_ptr{});
    }

private:
    std::vector<boost::asio::any_completion_handler<void(std::exception_ptr)>> waiting_;
};

} // namespace turnstile::bench
