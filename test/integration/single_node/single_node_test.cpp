// SPDX-License-Identifier: BSL-1.0
// The lock of one node on a real server.
#include "integration/fault/fault_outage.hpp"
#include "integration/support/cancel_support.hpp"

namespace {

using texts = std::vector<std::string>;

error_code try_now(fixture& f, single_node_mutex& lock) {
    return result_of(f, [&](auto token) { lock.try_acquire(std::move(token)); });
}

struct two_sessions : fixture {
    two_sessions() {
        connect(*this, here);
        connect(*this, there);
    }
    session here{context, options_for()};
    session there{context, options_for()};
    const std::string path = fresh_path("single");
    single_node_mutex ours{here, path};
    single_node_mutex theirs{there, path};
};

} // namespace

TEST_CASE("one node stands for the lock, and a try fails while it stands") {
    two_sessions f;
    auto lock = acquire_now(f, f.ours);
    CHECK(lock.is_held());
    CHECK(children_of(f.path) == texts{"holder"});
    CHECK(try_now(f, f.theirs) == error::would_block);
    CHECK(try_now(f, f.ours) == error::would_block);
    const auto before = lock.fencing_token();
    release_now(f, lock);
    CHECK(children_of(f.path).empty());
    lock = acquire_now(f, f.theirs);
    CHECK(lock.fencing_token() > before);
}

TEST_CASE("another kind of lock at the path is an error of its own") {
    two_sessions f;
    mutex other{f.there, f.path};
    SECTION("the mutex was first") {
        auto lock = acquire_now(f, other);
        CHECK(try_now(f, f.ours) == error::wrong_kind);
        f.run_until([&] { return children_of(f.path).size() == 1; });
        CHECK(lock.is_held());
        single_node_mutex same{f.there, f.path};
        CHECK(try_now(f, same) == error::wrong_kind);
    }
    SECTION("the node was first") {
        auto lock = acquire_now(f, f.ours);
        CHECK(result_of(f, [&](auto token) { other.acquire(std::move(token)); }) ==
              error::wrong_kind);
        f.run_until([&] { return children_of(f.path) == texts{"holder"}; });
        CHECK(lock.is_held());
        mutex same{f.here, f.path};
        CHECK(result_of(f, [&](auto token) { same.acquire(std::move(token)); }) ==
              error::wrong_kind);
    }
    SECTION("somebody's own node has the name") {
        foreign_client hand{shared_server().address()};
        hand.create("/locks"); // it may be there
        REQUIRE(hand.create(f.path) == 0);
        REQUIRE(hand.create(f.path + "/holder") == 0);
        CHECK(result_of(f, [&](auto token) { f.ours.acquire(std::move(token)); }) ==
              error::wrong_kind);
        CHECK(try_now(f, f.ours) == error::wrong_kind);
    }
}

TEST_CASE("the end of the session ends the lock, and the next one gets it") {
    outage_rig r;
    const auto path = fresh_path("single-expiry");
    single_node_mutex ours{r.s, path};
    auto lock = acquire_now(r.f, ours);
    session other{r.f.context, options_for()};
    single_node_mutex theirs{other, path};
    probe next;
    theirs.acquire(next.make());
    probe lost;
    lock.wait_lost(lost.make());
    expire(r.seen, shared_server().address(), r.s);
    r.f.run_until([&] { return lost.done() && next.done(); });
    CHECK(lost.code() == error::session_expired);
    CHECK(next.code() == error_code{});
    CHECK(next.lock().fencing_token() > lock.fencing_token());
}
