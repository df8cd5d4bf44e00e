// SPDX-License-Identifier: BSL-1.0
// From reader to writer with a real server.
#include "integration/support/fixture.hpp"
#include "support/frame_proxy.hpp"
#include "support/pch.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/redirect_error.hpp>

#include <optional>
#include <string>

namespace asio = boost::asio;
using namespace turnstile;
using namespace turnstile::test;

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

TEST_CASE("a writer that waits behind a reader is not passed") {
    reader_and_others f;
    std::optional<held_lock> writer;
    f.theirs.acquire([&](error_code, held_lock granted) { writer = std::move(granted); });
    f.run_until([&] { return children_of(f.path).size() == 2; });
    f.run([&]() -> asio::awaitable<void> {
        co_await f.upgrade(f.reader, error::would_block);
        CHECK(f.reader.is_held());
    });
    CHECK_FALSE(writer);
    f.reader = {};
    f.run_until([&] { return writer && writer->is_held(); });
}

TEST_CASE("readers of the session, and other handles, count as well") {
    reader_and_others f;
    f.run([&]() -> asio::awaitable<void> {
        auto second = co_await f.ours.shared().acquire(); // on the same ticket
        co_await f.upgrade(f.reader, error::would_block);
        co_await second.release();
        auto further = f.reader.share();
        co_await f.upgrade(f.reader, error::would_block);
        co_await f.reader.release();
        co_await f.upgrade(further, success);
        auto handle = further.share();
        CHECK(handle.fencing_token() == further.fencing_token());
    });
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

TEST_CASE("a lock without readers can be neither upgraded nor downgraded") {
    fixture f;
    session here{f.context, options_for()};
    f.run([&]() -> asio::awaitable<void> {
        single_node_mutex lone{here, fresh_path("lone")};
        semaphore pool{here, fresh_path("pool"), 2};
        auto node = co_await lone.acquire();
        auto lease = co_await pool.acquire();
        for (auto* const each : {&node, &lease}) {
            co_await reader_and_others::upgrade(*each, error::not_shared);
            co_await reader_and_others::downgrade(*each, error::not_exclusive);
            CHECK(each->is_held());
        }
    });
}

TEST_CASE("a second upgrade leaves the first one alone") {
    reader_and_others f;
    std::optional<error_code> first;
    std::optional<error_code> second;
    f.reader.try_upgrade([&](error_code why) { first = why; });
    f.reader.try_upgrade([&](error_code why) { second = why; });
    f.run_until([&] { return first && second; });
    CHECK(*first == success);
    CHECK(*second == error::would_block);
}

TEST_CASE("a cancelled upgrade leaves the lock a reader's") {
    reader_and_others f;
    asio::cancellation_signal stop;
    std::optional<error_code> result;
    f.reader.try_upgrade(
        asio::bind_cancellation_slot(stop.slot(), [&](error_code why) { result = why; }));
    asio::post(f.context, [&] { stop.emit(asio::cancellation_type::terminal); });
    f.run_until([&] { return result.has_value(); });
    CHECK(*result == asio::error::operation_aborted);
    CHECK(f.reader.is_held());
    f.run([&]() -> asio::awaitable<void> {
        auto other = co_await f.theirs.shared().acquire();
        CHECK(other.is_held());
        co_await other.release();
    });
    const auto children = children_of(f.path);
    REQUIRE(children.size() == 1);
    CHECK_FALSE(is_writer(children.front()));
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
    const auto taken_back =
        proxy.add_rule({.op = op::remove, .path = tickets, .without = "-read-lock-"});
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
