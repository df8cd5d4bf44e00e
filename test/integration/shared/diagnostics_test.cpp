// SPDX-License-Identifier: BSL-1.0
// What is told of a change of a held lock that fails.
#include "integration/support/cancel_support.hpp"
#include "support/foreign_client.hpp"

namespace {

held_lock read_now(fixture& f, shared_mutex& lock) {
    held_lock reader;
    f.run([&]() -> boost::asio::awaitable<void> { reader = co_await lock.shared().acquire(); });
    return reader;
}

} // namespace

TEST_CASE("a refused downgrade or upgrade says of which lock, and by which server") {
    fixture f;
    session s{f.context, options_for()};
    shared_mutex lock{s, fresh_path("diagnostics")};
    diagnostics told;
    SECTION("a downgrade of a reader") {
        auto reader = read_now(f, lock);
        CHECK(result_of(f, [&](auto t) {
                  reader.downgrade(with_diagnostics(told, std::move(t)));
              }) == error::not_exclusive);
    }
    SECTION("an upgrade of a writer") {
        auto writer = acquire_now(f, lock);
        CHECK(result_of(f, [&](auto t) {
                  writer.try_upgrade(with_diagnostics(told, std::move(t)));
              }) == error::not_shared);
    }
    SECTION("an upgrade beside another reader") {
        auto reader = read_now(f, lock);
        auto other = read_now(f, lock);
        CHECK(result_of(f, [&](auto t) {
                  reader.try_upgrade(with_diagnostics(told, std::move(t)));
              }) == error::would_block);
    }
    CHECK(told.path == lock.path());
    CHECK_FALSE(told.server.empty());
    CHECK(told.cause.empty());
}

TEST_CASE("a release of several locks that fails says which of them") {
    fixture f;
    session s{f.context, options_for()};
    session other{f.context, options_for()};
    const auto path = fresh_path("diagnostics");
    mutex first{s, path + "-1"};
    mutex second{other, path + "-2"};
    multi_lock both{first, second};
    auto held = acquire_now(f, both);
    delete_tickets(second.path());
    diagnostics told;
    CHECK(result_of(f, [&](auto t) { held.release(with_diagnostics(told, std::move(t))); }) ==
          condition::lock_lost);
    CHECK(told.path == second.path());
}

TEST_CASE("a closed session has no server that could answer yet") {
    fixture f;
    session s{f.context, options_for()};
    CHECK(result_of(f, [&](auto t) { s.connect(std::move(t)); }) == error_code{});
    CHECK(result_of(f, [&](auto t) { s.close(std::move(t)); }) == error_code{});
    mutex lock{s, fresh_path("diagnostics")};
    diagnostics told;
    CHECK(result_of(f, [&](auto t) { lock.acquire(with_diagnostics(told, std::move(t))); }) ==
          error::session_closed);
    CHECK(told.cause.empty());
}
