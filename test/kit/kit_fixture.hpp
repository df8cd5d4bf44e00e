// SPDX-License-Identifier: BSL-1.0
// The cast of the test kit's own tests: two programs on one modelled ensemble, and a mutex of each
// for the same lock path.
#pragma once

#include "support/pch.hpp"

#include <turnstile.hpp>
#include <turnstile/testing.hpp>

namespace turnstile::test {

/// A test holds `orders` with the first session. `same_orders` is the other program, which waits
/// where the test needs one.
struct kit_fixture {
    boost::asio::io_context context;
    testing::ensemble servers{context};
    session first{context};
    session second{context};
    mutex orders{first, "/locks/orders"};
    mutex same_orders{second, "/locks/orders"};

    /// The result of an acquire.
    struct outcome {
        std::optional<error_code> code{}; // empty until it has completed
        held_lock lock{};
    };
    static void acquire(mutex& of, outcome& into) {
        of.acquire([&into](error_code error, held_lock lock) {
            into.code = error;
            into.lock = std::move(lock);
        });
    }
    held_lock acquire_orders() {
        outcome result;
        acquire(orders, result);
        servers.settle();
        REQUIRE(result.code == error_code());
        REQUIRE(result.lock.is_held());
        return std::move(result.lock);
    }
    /// Holds and releases `orders` once: from then on the first session knows the path.
    void learn_path() {
        auto lock = acquire_orders();
        lock = {};
        servers.settle();
    }
    /// Returns a reference to the cause of this lock's loss, which is empty until the lock is lost.
    /// The fixture has one such cause.
    std::optional<error_code>& watch_loss(held_lock& lock) {
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
