// SPDX-License-Identifier: BSL-1.0
// Holders that are asked to let go.
#include "integration/support/access_support.hpp"
#include "integration/support/cancel_support.hpp"
#include "support/foreign_client.hpp"
#include "support/frame_proxy.hpp"

namespace {
struct yield_stage : fixture {
    static session_options labelled() {
        auto options = options_for();
        options.label = "operator";
        return options;
    }

    const std::string path = fresh_path("yield");
    session here{context, options_for()};
    session there{context, labelled()};
    mutex ours{here, path};
    mutex theirs{there, path};

    void ask(probe& asked, mutex& through) { through.ask_to_yield("an update", asked.make()); }
    /// Whether somebody asks.
    bool is_asked() const {
        const auto slash = path.rfind('/');
        const auto own = path.substr(slash + 1) + '%';
        return std::ranges::any_of(children_of(path.substr(0, slash)),
                                   [&](const auto& each) { return each == own + "yield"; });
    }
    struct request {
        std::optional<error_code> failed{};
        yield_request what{};
    };
    error_code answer_to(const request& heard) {
        run_until([&] { return heard.failed.has_value(); });
        return *heard.failed;
    }
    static void await(const held_lock& lock, request& into) {
        lock.wait_yield([&into](error_code failed, const yield_request& what) {
            into = {failed, what};
        });
    }
};

} // namespace

TEST_CASE("a holder that is asked to yield learns who asks, and why") {
    yield_stage f;
    auto lock = acquire_now(f, f.ours);
    yield_stage::request heard;
    yield_stage::await(lock, heard);
    probe asked;
    f.ask(asked, f.theirs);
    CHECK_FALSE(f.answer_to(heard));
    CHECK(heard.what.reason == "an update");
    CHECK(heard.what.label == "operator");
    CHECK_FALSE(heard.what.host.empty());
    CHECK_FALSE(asked.done());  // until the lock is let go
    yield_stage::request again; // it stands
    yield_stage::await(lock, again);
    f.run_until([&] { return again.failed.has_value(); });
    lock = {};
    CHECK(end_of(f, asked) == error_code{});
    CHECK_FALSE(f.is_asked());
}

TEST_CASE("a holder that begins to wait after it was asked is told at once") {
    yield_stage f;
    auto lock = acquire_now(f, f.ours);
    probe asked;
    f.ask(asked, f.theirs);
    f.run_until([&] { return f.is_asked(); });
    yield_stage::request heard;
    yield_stage::await(lock, heard);
    CHECK_FALSE(f.answer_to(heard));
}

TEST_CASE("the holder that comes next is not asked by a request that meant another") {
    yield_stage f;
    // An asker whose node stays: it may not be deleted beside the lock path, as security.md has it.
    foreign_client other{foreign_client::options{.address = shared_server().address()}};
    REQUIRE(other.create("/locks") != -4);
    REQUIRE(other.create(f.path) == 0);
    const auto path = f.path + "/inner";
    const auto may_delete = [&](bool may) {
        REQUIRE(other.set_acl(f.path, {{"world", "anyone", may ? 31 : 31 & ~8}}) == 0);
    };
    mutex ours{f.here, path};
    mutex theirs{f.there, path};
    auto lock = acquire_now(f, ours);
    may_delete(false);
    probe first;
    theirs.ask_to_yield("the first", first.make());
    yield_stage::request heard;
    yield_stage::await(lock, heard);
    f.run_until([&] { return heard.failed.has_value(); });
    CHECK(heard.what.reason == "the first");
    release_now(f, lock);
    f.run_until([&] { return first.done(); });
    REQUIRE(other.exists(path + "%yield") == 0);
    const bool anew = GENERATE(true, false); // the path, whose numbers start again at 0
    if (anew) {
        may_delete(true);
        REQUIRE(other.remove(path) == 0);
        may_delete(false);
    }
    lock = acquire_now(f, ours);
    heard = {};
    yield_stage::await(lock, heard);
    session third{f.context, options_for()};
    mutex also{third, path};
    probe asked;
    also.ask_to_yield("the second", asked.make());
    f.run_until([&] { return heard.failed.has_value(); });
    CHECK(heard.what.reason == "the second");
    lock = {};
    CHECK(end_of(f, asked) == error_code{});
}

TEST_CASE("a holder is asked by the ticket that it has") {
    yield_stage f;
    const bool waits_before = GENERATE(true, false);
    yield_stage::request heard;
    held_lock lock;
    probe asked;
    const auto change = [&](auto to_other) {
        if (waits_before)
            yield_stage::await(lock, heard);
        CHECK(result_of(f, to_other) == error_code{});
        if (!waits_before)
            yield_stage::await(lock, heard);
        f.ask(asked, f.theirs);
    };
    shared_mutex readers{f.here, f.path};
    SECTION("that was a writer's") {
        lock = acquire_now(f, readers);
        change([&](auto t) { lock.downgrade(std::move(t)); });
    }
    SECTION("that was a reader's") {
        lock = acquire_now(f, readers.shared());
        change([&](auto t) { lock.try_upgrade(std::move(t)); });
    }
    SECTION("of a lock without a line") {
        single_node_mutex single{f.here, f.path};
        lock = acquire_now(f, single);
        yield_stage::await(lock, heard);
        f.ask(asked, f.theirs);
    }
    SECTION("by another of its handles") {
        const auto first = acquire_now(f, f.ours);
        lock = first.share();
        yield_stage::await(lock, heard);
        f.ask(asked, f.theirs);
    }
    CHECK_FALSE(f.answer_to(heard));
    CHECK(heard.what.reason == "an update");
}

TEST_CASE("two that ask one holder are both served") {
    yield_stage f;
    auto lock = acquire_now(f, f.ours);
    probe first;
    probe second;
    f.ask(first, f.theirs);
    f.ask(second, f.theirs);
    yield_stage::request heard;
    yield_stage::await(lock, heard);
    f.run_until([&] { return heard.failed.has_value(); });
    lock = {};
    f.run_until([&] { return first.done() && second.done(); });
    CHECK(first.code() == error_code{});
    CHECK(second.code() == error_code{});
    CHECK_FALSE(f.is_asked());
}

TEST_CASE("nobody is there to be asked") {
    yield_stage f;
    CHECK(result_of(f, [&](auto t) { f.theirs.ask_to_yield("now", std::move(t)); }) ==
          error::not_held);
    auto lock = acquire_now(f, f.ours);
    release_now(f, lock);
    CHECK(result_of(f, [&](auto t) { f.theirs.ask_to_yield("now", std::move(t)); }) ==
          error::not_held);
}

TEST_CASE("a request that is cancelled is taken back") {
    yield_stage f;
    auto lock = acquire_now(f, f.ours);
    cancellable asked;
    f.theirs.ask_to_yield("perhaps", asked.token());
    f.run_until([&] { return f.is_asked(); });
    asked.cancel();
    f.run_until([&] { return asked.done() && !f.is_asked(); });
    CHECK(asked.code() == aborted);
    yield_stage::request heard;
    yield_stage::await(lock, heard);
    lock = {};
    CHECK(f.answer_to(heard) == error::released);
}

TEST_CASE("the wait for a request ends with the lock") {
    yield_stage f;
    yield_stage::request heard;
    SECTION("that is lost, or was lost before") {
        const bool before = GENERATE(false, true);
        const auto lock = acquire_now(f, f.ours);
        if (!before)
            yield_stage::await(lock, heard);
        delete_tickets(f.path);
        if (before) {
            f.run_until([&] { return !lock.is_held(); });
            yield_stage::await(lock, heard);
        }
        CHECK(f.answer_to(heard) == error::ticket_deleted);
    }
    SECTION("that was released before") {
        auto lock = acquire_now(f, f.ours);
        auto late = lock.wait_yield(asio::deferred);
        REQUIRE(result_of(f, [&](auto t) { lock.release(std::move(t)); }) == error_code());
        std::move(late)([&](error_code failed, const yield_request& what) {
            heard = {failed, what};
        });
        CHECK(f.answer_to(heard) == error::released);
    }
    SECTION("that is none") {
        yield_stage::await(held_lock(), heard);
        CHECK(f.answer_to(heard) == error::not_held);
    }
    SECTION("of several parts, which are not asked") {
        mutex other{f.here, f.path + "-b"};
        multi_lock both{f.ours, other};
        const auto lock = acquire_now(f, both);
        yield_stage::await(lock, heard);
        CHECK(f.answer_to(heard) == asio::error::operation_not_supported);
    }
}

TEST_CASE("a request outlives a cut, of the asker and of the holder") {
    yield_stage f;
    frame_proxy proxy{shared_server().port()};
    session s{f.context, options_for(proxy.address())};
    mutex through{s, f.path};
    const bool holder = GENERATE(true, false);
    auto lock = acquire_now(f, holder ? through : f.ours);
    yield_stage::request heard;
    probe asked;
    if (holder)
        yield_stage::await(lock, heard);
    f.ask(asked, holder ? f.theirs : through);
    f.run_until([&] { return f.is_asked(); });
    proxy.cut_all();
    f.run_until([&] { return s.state() != session_state::connected; });
    f.run_until([&] { return s.state() == session_state::connected; });
    if (!holder)
        yield_stage::await(lock, heard);
    CHECK_FALSE(f.answer_to(heard));
    lock = {};
    CHECK(end_of(f, asked) == error_code{});
}
