// SPDX-License-Identifier: BSL-1.0
// A shared lock with the names of Curator's read-write locks, and nodes as Curator makes them.
// Curator itself: test/interop.
#include "integration/support/cancel_support.hpp"
#include "support/foreign_client.hpp"

namespace {

constexpr shared_mutex_options as_curator{.names = lock_names::curator};
const std::string uuid = "_c_f1d8f2b9-3d0e-4b2e-9d15-9bd0f5a6a5a1";

struct beside_curator : fixture {
    beside_curator() {
        for (auto* const each : {&here, &there})
            run([&]() -> asio::awaitable<void> { co_await each->connect(); });
        curator.create("/locks"); // it may be there
        REQUIRE(curator.create(path) == 0);
    }

    /// Lines up as Curator does.
    std::string stand(const std::string& mark) {
        std::string made;
        REQUIRE(curator.create(path + '/' + uuid + mark, {}, create_mode::ephemeral_sequential,
                               &made) == 0);
        return made;
    }
    held_lock read_now(shared_mutex& lock) {
        probe result;
        lock.shared().acquire(result.make());
        REQUIRE(end_of(*this, result) == error_code{});
        return std::move(result.lock());
    }
    error_code try_to_read(shared_mutex& lock) {
        return result_of(*this, [&](auto token) { lock.shared().try_acquire(std::move(token)); });
    }
    error_code try_to_write(shared_mutex& lock) {
        return result_of(*this, [&](auto token) { lock.try_acquire(std::move(token)); });
    }

    session here{context, options_for()};
    session there{context, options_for()};
    foreign_client curator{shared_server().address()};
    const std::string path = fresh_path("curator");
    shared_mutex ours{here, path, as_curator};
    shared_mutex theirs{there, path, as_curator};
};

bool ends_with(const std::string& name, const std::string& mark) {
    return name.substr(0, name.size() - 10).ends_with(mark);
}

} // namespace

TEST_CASE("with Curator's names readers share the lock and writers do not") {
    beside_curator f;
    auto writer = acquire_now(f, f.ours);
    const auto token = writer.fencing_token();
    REQUIRE(children_of(f.path).size() == 1);
    CHECK(ends_with(children_of(f.path).front(), "-__WRIT__"));
    CHECK(f.try_to_write(f.theirs) == error::would_block);
    CHECK(f.try_to_read(f.theirs) == error::would_block);
    probe next;
    f.theirs.shared().acquire(next.make());
    f.run_until([&] { return children_of(f.path).size() == 2; });
    release_now(f, writer);
    CHECK(end_of(f, next) == error_code{});
    auto reader = f.read_now(f.ours);
    for (const auto& name : children_of(f.path))
        CHECK(ends_with(name, "-__READ__"));
    CHECK(f.try_to_write(f.ours) == error::would_block);
    release_now(f, reader);
    release_now(f, next.lock());
    auto last = acquire_now(f, f.theirs);
    CHECK(last.fencing_token() > token);
}

TEST_CASE("a part of a multi_lock keeps the names of its lock") {
    beside_curator f;
    mutex other{f.here, fresh_path("curator")};
    multi_lock both{other, f.ours.shared()};
    auto lock = acquire_now(f, both);
    REQUIRE(children_of(f.path).size() == 1);
    CHECK(ends_with(children_of(f.path).front(), "-__READ__"));
    CHECK(f.try_to_write(f.theirs) == error::would_block);
    auto reader = f.read_now(f.theirs);
    release_now(f, lock);
}
