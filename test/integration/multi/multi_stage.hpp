// SPDX-License-Identifier: BSL-1.0
// Two sessions, and locks that are taken together.
#pragma once

#include "integration/support/cancel_support.hpp"
#include "support/foreign_client.hpp"
#include "support/pch.hpp"

#include <string>
#include <utility>

namespace turnstile::test {

/// `first` is the older lock path, so it comes first in everybody's order.
struct multi_stage : fixture {
    multi_stage() {
        for (auto* const each : {&here, &there})
            run([&]() -> boost::asio::awaitable<void> { co_await each->connect(); });
        foreign_client{shared_server().address()}.create("/locks"); // it may be there
        create(first);
        create(second);
    }

    // Another hand at work.
    void create(const std::string& path) const {
        REQUIRE(foreign_client{shared_server().address()}.create(path) == 0);
    }
    void remove(const std::string& path) const {
        REQUIRE(foreign_client{shared_server().address()}.remove(path) == 0);
    }

    /// Whoever comes next finds both free, and nothing stays.
    void check_free() {
        check_nothing_left(*this, here, first);
        check_nothing_left(*this, here, second);
    }
    bool is_empty(const std::string& path) const { return children_of(path).empty(); }

    session here{context, options_for()};
    session there{context, options_for()};
    const std::string first = fresh_path("multi");
    const std::string second = fresh_path("multi");
    mutex our_first{here, first};
    mutex our_second{here, second};
    mutex their_first{there, first};
    mutex their_second{there, second};
};

} // namespace turnstile::test
