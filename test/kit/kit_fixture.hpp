// SPDX-License-Identifier: BSL-1.0
// A program under test: one session, one mutex.
#pragma once

#include "support/pch.hpp"

#include <turnstile.hpp>
#include <turnstile/testing.hpp>

namespace turnstile::test {

struct kit_fixture {
    boost::asio::io_context context;
    testing::ensemble servers{context};
    session first{context};
    session second{context};
    mutex orders{first, "/locks/orders"};
    mutex same_orders{second, "/locks/orders"};

    /// What an acquire came to, once it has.
    struct outcome {
        std::optional<error_code> code{};
        held_lock lock{};
    };
    static void acquire(mutex& of, outcome& into) {
        of.acquire([&into](error_code error, held_lock lock) {
            into.code = error;
            into.lock = std::move(lock);
        });
    }
    held_lock held() {
        outcome result;
        acquire(orders, result);
        servers.settle();
        REQUIRE(result.code == error_code());
        REQUIRE(result.lock.is_held());
        return std::move(result.lock);
    }
    /// How a lock was lost; empty while it is not. The result lives as long as the fixture.
    std::optional<error_code>& loss_of(held_lock& lock) {
        lock.wait_lost([this](error_code error) { loss_ = error; });
        servers.settle();
        return loss_;
    }

private:
    std::optional<error_code> loss_{};
};

} // namespace turnstile::test

// The names that each test with it uses.
using namespace turnstile;
using namespace turnstile::test;
using namespace std::chrono_literals;
namespace asio = boost::asio;
