// SPDX-License-Identifier: BSL-1.0
// Readers and writers of several sessions on one path.
#include "integration/support/fixture.hpp"
#include "support/pch.hpp"

namespace {

// Two sessions, and a lock of each on one path.
struct readers_and_writers : fixture {
    readers_and_writers() {
        run([&]() -> asio::awaitable<void> {
            co_await here.connect();
            co_await there.connect();
        });
    }

    session here{context, options_for()};
    session there{context, options_for()};
    const std::string path = fresh_path("shared");
    shared_mutex ours{here, path};
    shared_mutex theirs{there, path};
};

// Whoever asks, and when it was answered.
struct wish {
    explicit wish(fixture& f, std::function<asio::awaitable<held_lock>()> how) {
        f.spawn([this, how = std::move(how)]() -> asio::awaitable<void> {
            lock = co_await how();
            granted = true;
        });
    }
    held_lock lock;
    bool granted = false;
};

auto reads(shared_mutex& which) {
    return
        [&which]() -> asio::awaitable<held_lock> { co_return co_await which.shared().acquire(); };
}
auto writes(shared_mutex& which) {
    return [&which]() -> asio::awaitable<held_lock> { co_return co_await which.acquire(); };
}

} // namespace

TEST_CASE("readers of several sessions hold together, and a writer waits for all of them") {
    readers_and_writers f;
    wish first{f, reads(f.ours)};
    f.run_until([&] { return first.granted; });
    wish second{f, reads(f.theirs)};
    f.run_until([&] { return second.granted; });
    CHECK(children_of(f.path).size() == 2);
    wish writer{f, writes(f.ours)};
    f.run_until([&] { return children_of(f.path).size() == 3; });
    wish late{f, reads(f.theirs)}; // shares the ticket of `second`: no fourth node
    f.run_until([&] { return late.granted; });
    CHECK(children_of(f.path).size() == 3);
    first.lock = {};
    second.lock = {};
    f.run_until([&] { return children_of(f.path).size() == 2; });
    CHECK_FALSE(writer.granted);
    late.lock = {};
    f.run_until([&] { return writer.granted; });
    CHECK(writer.lock.fencing_token() > late.lock.fencing_token());
    CHECK(children_of(f.path).size() == 1);
}

TEST_CASE("a mutex on the path of a shared lock is one of its writers") {
    readers_and_writers f;
    mutex plain{f.there, f.path};
    wish reader{f, reads(f.ours)};
    f.run_until([&] { return reader.granted; });
    f.run([&]() -> asio::awaitable<void> {
        const auto none = co_await plain.try_acquire();
        CHECK_FALSE(none);
    });
    wish other{f, [&]() -> asio::awaitable<held_lock> { co_return co_await plain.acquire(); }};
    f.run_until([&] { return children_of(f.path).size() == 2; });
    reader.lock = {};
    f.run_until([&] { return other.granted; });
    f.run([&]() -> asio::awaitable<void> {
        const auto none = co_await f.ours.shared().try_acquire();
        CHECK_FALSE(none);
    });
}

TEST_CASE("a reader's limit ends its own wait, and leaves the shared ticket to the others") {
    readers_and_writers f;
    wish writer{f, writes(f.ours)};
    f.run_until([&] { return writer.granted; });
    wish reader{f, reads(f.theirs)};
    f.run_until([&] { return children_of(f.path).size() == 2; });
    std::optional<error_code> over;
    f.theirs.shared().acquire_for(std::chrono::milliseconds{20},
                                  [&](error_code result, held_lock) { over = result; });
    f.run_until([&] { return over.has_value(); });
    CHECK(*over == error::timeout);
    CHECK(children_of(f.path).size() == 2);
    writer.lock = {};
    f.run_until([&] { return reader.granted; });
}

TEST_CASE("a view refers to its lock also when the lock object is gone") {
    readers_and_writers f;
    const lock_view made = shared_mutex{f.here, f.path}.shared();
    lock_view reader = made;
    CHECK(reader.path() == f.path);
    wish writer{f, writes(f.theirs)};
    f.run_until([&] { return writer.granted; });
    wish reads{f, [&]() -> asio::awaitable<held_lock> { co_return co_await reader.acquire(); }};
    f.run_until([&] { return children_of(f.path).size() == 2; });
    CHECK_FALSE(reads.granted);
    writer.lock = {};
    f.run_until([&] { return reads.granted; });
    CHECK(reads.lock.is_held());
}
