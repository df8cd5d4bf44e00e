// SPDX-License-Identifier: BSL-1.0
// The program under test: a worker that works under a lock, and stops when it loses the lock.
#pragma once

#include <turnstile.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <string>
#include <vector>

inline boost::asio::awaitable<void> work(turnstile::mutex& orders,
                                         std::vector<std::string>& journal) {
    auto lock = co_await orders.acquire(boost::asio::use_awaitable);
    journal.push_back("works");
    co_await lock.wait_lost(boost::asio::as_tuple(boost::asio::use_awaitable));
    journal.push_back("stops");
}
