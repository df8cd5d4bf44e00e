// SPDX-License-Identifier: BSL-1.0
// What is left of a session when its execution context goes first.
#include "integration/support/cancel_support.hpp"

#include <memory>

namespace asio = boost::asio;
using namespace turnstile;
using namespace turnstile::test;

TEST_CASE("a lock that outlives its context is lost: its session ends with the context") {
    const bool session_first = GENERATE(true, false);
    const auto path = fresh_path("outlives-context");
    held_lock held;
    {
        fixture f;
        auto s = std::make_shared<session>(f.context, options_for());
        mutex lock{*s, path};
        held = acquire_now(f, lock);
        CHECK(held.is_held());
        if (!session_first)
            s->wait_state_change(session_state::connected,
                                 [s](error_code, session_state) { FAIL("called"); });
    }
    CHECK(held); // still owned
    CHECK_FALSE(held.is_held());
    CHECK(held.fencing_token() > fencing_token{});
    await_empty(path);
}
