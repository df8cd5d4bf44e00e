// SPDX-License-Identifier: BSL-1.0
// From writer to reader with a real server.
#include "integration/support/cancel_support.hpp"
#include "integration/support/fault_rig.hpp"

namespace {

// The first session holds the lock to write.
struct writer_and_others : fixture {
    writer_and_others() {
        run([&]() -> asio::awaitable<void> { writer = co_await ours.acquire(); });
    }
    void downgrade() {
        std::optional<error_code> result;
        writer.downgrade([&](error_code why) { result = why; });
        run_until([&] { return result.has_value(); });
        CHECK(*result == error_code{});
    }

    session here{context, options_for()};
    session there{context, options_for()};
    const std::string path = fresh_path("downgrade");
    shared_mutex ours{here, path};
    shared_mutex theirs{there, path};
    held_lock writer;
};

// Keeps what it is granted.
struct taker {
    auto handler() {
        return [this](error_code why, held_lock granted) {
            result = why;
            lock = std::move(granted);
        };
    }
    std::optional<error_code> result;
    held_lock lock;
};

} // namespace

TEST_CASE("a downgrade lets the readers behind in, and a queued writer goes on waiting") {
    writer_and_others f;
    taker reader;
    taker next_writer;
    taker late_reader;
    f.theirs.shared().acquire(reader.handler());
    f.run_until([&] { return children_of(f.path).size() == 2; });
    f.theirs.acquire(next_writer.handler());
    f.run_until([&] { return children_of(f.path).size() == 3; });
    f.ours.shared().acquire(late_reader.handler());
    f.run_until([&] { return children_of(f.path).size() == 4; });
    f.downgrade();
    f.run_until([&] { return reader.lock.is_held(); });
    CHECK(f.writer.is_held());
    reader.lock = {};
    f.run_until([&] { return children_of(f.path).size() == 3; });
    CHECK_FALSE(next_writer.result); // CURATOR-621 let it in
    CHECK_FALSE(late_reader.result);
    f.writer = {};
    f.run_until([&] { return next_writer.lock.is_held(); });
    CHECK(next_writer.lock.fencing_token() > reader.lock.fencing_token());
    next_writer.lock = {};
    f.run_until([&] { return late_reader.lock.is_held(); });
}

TEST_CASE("a ticket that a foreign client deletes is lost while its downgrade is held back") {
    frame_proxy proxy{shared_server().port()};
    onlooker eyes{shared_server().address()};
    fixture f;
    session here{f.context, long_session(proxy.address())};
    session there{f.context, options_for()};
    const auto path = fresh_path("held-downgrade");
    shared_mutex ours{here, path};
    shared_mutex theirs{there, path};
    const auto watched = proxy.add_rule(
        {.direction = direction::to_client, .op = op::get_children2, .path = path + '/'});
    auto writer = acquire_now(f, ours);
    run_until_hit(f, proxy, watched); // it watches its own ticket
    const auto ticket = eyes.children(path).front();
    auto next = stand_in_line(f, theirs, 2);
    const auto held =
        proxy.add_rule({.op = op::multi, .path = "-down-read-lock-", .action = action::hold});
    probe downgraded;
    probe lost;
    writer.wait_lost(lost.make());
    writer.downgrade(downgraded.make());
    run_until_hit(f, proxy, held);
    proxy.set_outage(true); // no other connection tells of the end either
    REQUIRE(eyes.client().remove(path + '/' + ticket) == 0);
    f.run_until([&] { return downgraded.done() && lost.done() && next.done(); });
    CHECK(downgraded.code() == error::ticket_deleted);
    CHECK(lost.code() == error::ticket_deleted);
    CHECK_FALSE(writer.is_held());
    CHECK(next.lock().is_held());
    proxy.set_outage(false);
    proxy.release_held(); // it comes too late, and makes nothing
    auto again = stand_in_line(f, ours, 2);
    release_now(f, next.lock());
    f.run_until([&] { return again.done(); });
    CHECK(again.lock().is_held());
    release_now(f, again.lock());
    f.run_until([&] { return children_of(path).empty(); });
}
