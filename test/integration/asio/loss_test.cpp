// SPDX-License-Identifier: BSL-1.0
// What a lost lock says of itself.
#include "integration/support/cancel_support.hpp"

namespace asio = boost::asio;
using namespace turnstile;
using namespace turnstile::test;

TEST_CASE("a lost lock has no deadline, though others of its session have one") {
    fixture f;
    session s{f.context, options_for()};
    mutex lock{s, fresh_path("loss-deadline")};
    auto held = acquire_now(f, lock);
    CHECK(held.deadline() > lease_clock::now());
    CHECK(result_of(f, [&](auto t) { s.close(std::move(t)); }) == error_code{});
    CHECK(held);
    CHECK_FALSE(held.is_held());
    CHECK(held.deadline() == lease_clock::time_point{});
}
