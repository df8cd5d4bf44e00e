// Coroutines that wait for the same thing.
#pragma once

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cstddef>
#include <exception>
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
    /// For whom nobody knows who is the first.
    void shuffle(std::mt19937& dice) {
        for (std::size_t i = waiting_.size(); i > 1; --i)
            std::swap(waiting_[i - 1], waiting_[dice() % i]);
    }

private:
    std::vector<boost::asio::any_completion_handler<void(std::exception_ptr)>> waiting_;
};

} // namespace turnstile::bench
