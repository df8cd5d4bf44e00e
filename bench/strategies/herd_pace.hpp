// SPDX-License-Identifier: BSL-1.0
// Keeps a run in step with a herd: nothing is released before all of it has looked.
#pragma once

#include "sample.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

namespace turnstile::bench {

/// Does nothing where a release wakes no herd.
///
/// Each who joins a herd would wake all before it, and lining up would cost as much as the whole
/// drain. So nobody looks at the line before it is complete. A hand-off is measured, and the limit
/// beside it, only when everybody has looked after the one before.
template <class Lock>
class herd_pace {
public:
    using sessions = std::vector<std::unique_ptr<typename Lock::session_type>>;
    using locks = std::vector<std::unique_ptr<Lock>>;

    /// `check` throws what has gone wrong in the line meanwhile.
    herd_pace(const sessions& all, const locks& on_path, std::function<void()> check)
        : sessions_(all), locks_(on_path), check_(std::move(check)) {}

    void hold_looks() {
        if constexpr (Lock::herd)
            for (const auto& each : locks_)
                each->hold_looks();
    }

    boost::asio::awaitable<void> let_look(std::size_t waiters) {
        if constexpr (Lock::herd) {
            for (const auto& each : locks_)
                each->let_look();
            watching_ = waiters;
            woken_ = woken();
            co_await settled();
        }
        co_return;
    }

    /// The lock is about to be released: of those who watch one gets it.
    void released() {
        if constexpr (Lock::herd) {
            woken_ = woken() + watching_;
            watching_ -= watching_ > 0 ? 1 : 0;
        }
    }

    /// All whom the last release woke have looked, and watch again.
    boost::asio::awaitable<void> settled() {
        if constexpr (Lock::herd) {
            const auto executor = co_await boost::asio::this_coro::executor;
            for (const auto start = clock::now(); woken() != woken_ || waiting() != watching_;) {
                co_await boost::asio::post(executor, boost::asio::deferred);
                check_();
                if (clock::now() - start > longest_standstill)
                    throw std::runtime_error("the herd does not come to rest");
            }
        }
        co_return;
    }

private:
    static constexpr std::chrono::seconds longest_standstill{60};

    std::size_t woken() const {
        std::size_t all = 0;
        for (const auto& each : sessions_)
            all += each->woken();
        return all;
    }
    std::size_t waiting() const {
        std::size_t all = 0;
        for (const auto& each : sessions_)
            all += each->waiting();
        return all;
    }

    const sessions& sessions_;
    const locks& locks_;
    std::function<void()> check_;
    std::size_t watching_ = 0;
    std::size_t woken_ = 0;
};

} // namespace turnstile::bench
