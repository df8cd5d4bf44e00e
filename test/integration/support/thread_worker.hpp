// SPDX-License-Identifier: BSL-1.0
// Threads that run contexts, and data that only a lock protects.
#pragma once

#include "support/pch.hpp"

#include <turnstile.hpp>

#include <boost/asio/executor_work_guard.hpp>

namespace turnstile::test {

// Written under the lock only: a sanitizer sees every overlap, and so do we.
struct unprotected {
    int inside = 0;
    int entries = 0;
    fencing_token last;
    bool ok = true;

    void enter(const held_lock& lock) {
        ok = ok && ++inside == 1 && lock.fencing_token() > last;
        last = lock.fencing_token();
        ++entries;
    }
    void leave() { --inside; }
};

// Exceptions of other threads, told on this one.
inline void get(std::vector<std::future<void>>& all) {
    for (auto& one : all) {
        REQUIRE(one.wait_for(std::chrono::seconds{60}) == std::future_status::ready);
        one.get();
    }
}

struct worker {
    boost::asio::io_context context;
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{
        context.get_executor()};
    std::deque<std::jthread> threads;

    explicit worker(int count = 1) {
        for (int i = 0; i < count; ++i)
            threads.emplace_back([this] { context.run(); });
    }
    ~worker() { work.reset(); }
};

} // namespace turnstile::test
