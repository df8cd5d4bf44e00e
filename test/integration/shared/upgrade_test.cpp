// SPDX-License-Identifier: BSL-1.0
// From reader to writer with a real server.
#include "integration/support/fixture.hpp"
#include "support/frame_proxy.hpp"
#include "support/pch.hpp"

namespace {

const error_code success;

// The first session holds the lock to read.
struct reader_and_others : fixture {
    explicit reader_and_others(const std::string& address = {})
        : here(context, options_for(address)) {
        run([&]() -> asio::awaitable<void> { reader = co_await ours.shared().acquire(); });
    }
    /// Tries it, and checks how it ends.
    template <class Expected>
    static asio::awaitable<void> upgrade(held_lock& which, Expected expected) {
        error_code why;
        co_await which.try_upgrade(asio::redirect_error(asio::use_awaitable, why));
        CHECK(why == expected);
    }
    template <class Expected>
    static asio::awaitable<void> downgrade(held_lock& which, Expected expected) {
        error_code why;
        co_await which.downgrade(asio::redirect_error(asio::use_awaitable, why));
        CHECK(why == expected);
    }

    session here;
    session there{context, options_for()};
    const std::string path = fresh_path("upgrade");
    shared_mutex ours{here, path};
    shared_mutex theirs{there, path};
    held_lock reader;
};

bool is_writer(const std::string& child) {
    return child.find("-read-") == child.npos && child.find("-lock-") != child.npos;
}

} // namespace

TEST_CASE("a reader that is alone becomes a writer, with a token above all before") {
    reader_and_others f;
    f.run([&]() -> asio::awaitable<void> {
        const auto read_by = f.reader.fencing_token();
        auto other = co_await f.theirs.shared().acquire();
        const auto later = other.fencing_token();
        co_await other.release();
        co_await f.upgrade(f.reader, success);
        CHECK(f.reader.is_held());
        CHECK(f.reader.fencing_token() > read_by);
        CHECK(f.reader.fencing_token() > later);
        auto none = co_await f.theirs.shared().try_acquire();
        CHECK_FALSE(none);
        none = co_await f.ours.shared().try_acquire();
        CHECK_FALSE(none);
    });
    const auto children = children_of(f.path);
    REQUIRE(children.size() == 1);
    CHECK(is_writer(children.front()));
    f.run([&]() -> asio::awaitable<void> {
        const auto written_by = f.reader.fencing_token();
        co_await f.reader.release();
        auto next = co_await f.theirs.acquire();
        CHECK(next.fencing_token() > written_by);
        co_await next.release();
    });
    CHECK(children_of(f.path).empty());
}

TEST_CASE("what cannot be upgraded says so, and stays as it is") {
    reader_and_others f;
    f.run([&]() -> asio::awaitable<void> {
        co_await f.downgrade(f.reader, error::not_exclusive);
        co_await f.upgrade(f.reader, success);
        co_await f.upgrade(f.reader, error::not_shared);
        CHECK(f.reader.is_held());
        co_await f.reader.release();
        co_await f.upgrade(f.reader, error::not_held);

        shared_mutex curators{f.here, fresh_path("curator"), {.names = lock_names::curator}};
        auto reading = co_await curators.shared().acquire();
        co_await f.upgrade(reading, error::names_forbid);
    });
}

TEST_CASE("an upgrade that is cancelled while its transaction is on its way takes it back") {
    frame_proxy proxy{shared_server().port()};
    reader_and_others f{proxy.address()};
    const auto tickets = f.path + '/';
    const auto made = proxy.add_rule({.op = op::multi,
                                      .part = op::check,
                                      .last_part = op::create,
                                      .path = tickets,
                                      .action = action::hold});
    const auto taken_back = proxy.add_rule(
        {.op = op::multi, .part = op::remove, .path = tickets, .without = "-read-lock-"});
    asio::cancellation_signal stop;
    std::optional<error_code> result;
    f.reader.try_upgrade(
        asio::bind_cancellation_slot(stop.slot(), [&](error_code why) { result = why; }));
    f.run_until([&] { return proxy.hits(made) > 0; });
    stop.emit(asio::cancellation_type::terminal);
    f.run_until([&] { return result.has_value(); });
    CHECK(*result == asio::error::operation_aborted);
    CHECK(f.reader.is_held());
    proxy.release_held();
    f.run_until([&] { return proxy.hits(taken_back) > 0; });
    f.run([&]() -> asio::awaitable<void> { // served only once nothing of the upgrade is left
        auto other = co_await f.theirs.shared().acquire();
        CHECK(other.is_held());
        co_await other.release();
    });
    const auto children = children_of(f.path);
    REQUIRE(children.size() == 1);
    CHECK_FALSE(is_writer(children.front()));
    CHECK(f.reader.is_held());
}
