// SPDX-License-Identifier: BSL-1.0
// Who knows that a user's call is under way: its own thread, until the outermost call is over.
#include "session/user_call.hpp"

#include "support/pch.hpp"

using turnstile::detail::user_call;

TEST_CASE("a user's call is under way until the outermost one is over") {
    CHECK_FALSE(user_call::under_way());
    {
        const user_call outer;
        CHECK(user_call::under_way());
        {
            const user_call inner;
            CHECK(user_call::under_way());
        }
        CHECK(user_call::under_way());
    }
    CHECK_FALSE(user_call::under_way());
}

TEST_CASE("a user's call is over where it throws") {
    try {
        const user_call call;
        throw 1;
    } catch (int) {
    }
    CHECK_FALSE(user_call::under_way());
}

TEST_CASE("a user's call on one thread is none on another") {
    const user_call call;
    bool elsewhere = true;
    std::thread([&] { elsewhere = user_call::under_way(); }).join();
    CHECK_FALSE(elsewhere);
}
