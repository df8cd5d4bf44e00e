// SPDX-License-Identifier: BSL-1.0
// Who holds the leases of a semaphore, and who waits for some, asked of a real server.
#include "integration/semaphore/two_semaphores.hpp"
#include "support/foreign_client.hpp"
#include "support/pch.hpp"

#include <optional>
#include <vector>

namespace asio = boost::asio;
using namespace turnstile;
using namespace turnstile::test;

namespace {

std::vector<participant> participants_of(fixture& f, semaphore& which) {
    std::optional<std::vector<participant>> result;
    which.participants(50, [&](error_code why, std::vector<participant> found) {
        CHECK(why == error_code{});
        result = std::move(found);
    });
    f.run_until([&] { return result.has_value(); });
    return *result;
}

} // namespace

TEST_CASE("the leases of a semaphore are told, and who waits for some") {
    two_semaphores f;
    CHECK(participants_of(f, f.ours).empty());
    held_lock two;
    held_lock further;
    f.run([&]() -> asio::awaitable<void> {
        two = co_await f.ours.permits(2).acquire();
        further = two.share();
    });
    std::optional<held_lock> waited;
    f.theirs.permits(2).acquire([&](error_code why, held_lock granted) {
        CHECK(why == error_code{});
        waited = std::move(granted);
    });
    f.await_line(1);
    const auto found = participants_of(f, f.ours);
    REQUIRE(found.size() == 3);
    for (const std::size_t i : {0, 1}) {
        CHECK(found[i].node.starts_with("leases/try-"));
        CHECK(found[i].holds);
        CHECK(found[i].handles == 2);
        CHECK(found[i].session_id == f.here.id());
        CHECK_FALSE(found[i].host.empty());
    }
    CHECK(found[2].node.starts_with("queue/turn-"));
    CHECK_FALSE(found[2].holds);
    CHECK(found[2].handles == 0); // only its own session knows
    CHECK(found[2].session_id == f.there.id());
    const auto seen_there = participants_of(f, f.theirs);
    REQUIRE(seen_there.size() == 3);
    CHECK(seen_there[0].handles == 0);
    CHECK(seen_there[2].handles == 1);
    f.run([&]() -> asio::awaitable<void> {
        co_await two.release();
        co_await further.release();
    });
    f.run_until([&] { return waited.has_value(); });
    const auto after = participants_of(f, f.theirs);
    REQUIRE(after.size() == 2);
    CHECK(after[0].node.starts_with("leases/"));
    CHECK(after[0].handles == 1);
}

TEST_CASE("nodes of a semaphore that go with no session are told last, and can be deleted") {
    two_semaphores f;
    auto one = acquire_now(f, f.ours.permits(1));
    foreign_client hand{shared_server().address()};
    REQUIRE(hand.create(f.path + "/leases/take-1-2-3-lease-0000000000") == 0);
    REQUIRE(hand.create(f.path + "/queue/turn-1-lock-0000000000") == 0);
    const auto found = participants_of(f, f.theirs);
    REQUIRE(found.size() == 3);
    CHECK(found[0].session_id == f.here.id());
    CHECK(found[0].holds);
    CHECK(found[1].node == "leases/take-1-2-3-lease-0000000000");
    CHECK(found[2].node == "queue/turn-1-lock-0000000000");
    for (const std::size_t i : {1, 2}) {
        CHECK(found[i].known == participant::knowledge::told);
        CHECK(found[i].session_id == 0);
        CHECK_FALSE(found[i].holds);
        CHECK(result_of(f, [&](auto t) { f.theirs.evict(found[i], std::move(t)); }) ==
              error_code{});
    }
    const auto left = participants_of(f, f.theirs);
    REQUIRE(left.size() == 1);
    CHECK(left[0].node == found[0].node);
    CHECK(one.is_held());
}
