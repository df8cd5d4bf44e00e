// SPDX-License-Identifier: BSL-1.0
// The lock of one node on a real server.
#include "integration/fault/fault_outage.hpp"
#include "integration/support/cancel_support.hpp"
#include "support/pch.hpp"

#include <algorithm>
#include <memory>
#include <optional>

namespace asio = boost::asio;
using namespace turnstile;
using namespace turnstile::test;

namespace {

using texts = std::vector<std::string>;

error_code try_now(fixture& f, single_node_mutex& lock) {
    return result_of(f, [&](auto token) { lock.try_acquire(std::move(token)); });
}

/// Nobody is kept out, and no node stays.
void check_free(fixture& f, const std::string& path) {
    session other{f.context, options_for()};
    single_node_mutex theirs{other, path};
    auto held = acquire_now(f, theirs);
    release_now(f, held);
    f.run_until([&] { return children_of(path).empty(); });
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

TEST_CASE("who waits is granted when the node goes, in each session") {
    two_sessions f;
    auto lock = acquire_now(f, f.ours);
    std::vector<std::unique_ptr<probe>> waiting;
    for (auto* const which : {&f.theirs, &f.ours, &f.theirs, &f.ours}) {
        waiting.push_back(std::make_unique<probe>());
        which->acquire(waiting.back()->make());
    }
    f.run_until([&] { return watches_below(shared_server().port(), f.path) > 0; });
    release_now(f, lock);
    for (std::size_t served = 0; served < waiting.size(); ++served) {
        f.run_until([&] {
            return std::any_of(waiting.begin(), waiting.end(),
                               [](const auto& each) { return each && each->done(); });
        });
        const auto next = std::find_if(waiting.begin(), waiting.end(),
                                       [](const auto& each) { return each && each->done(); });
        CHECK((*next)->code() == error_code{});
        for (const auto& other : waiting)
            CHECK((!other || other == *next || !other->done()));
        auto held = std::move((*next)->lock());
        next->reset();
        release_now(f, held);
    }
    f.run_until([&] { return children_of(f.path).empty(); });
}

TEST_CASE("a limit ends the wait for a node, and so does a cancellation of each type") {
    two_sessions f;
    auto lock = acquire_now(f, f.ours);
    CHECK(result_of(f, [&](auto token) {
              f.theirs.acquire_for(std::chrono::milliseconds{20}, std::move(token));
          }) == error::timeout);
    cancellable waits;
    f.theirs.acquire(waits.token());
    f.run_until([&] { return watches_below(shared_server().port(), f.path) > 0; });
    waits.cancel(GENERATE(every_cancellation_type()));
    f.run_until([&] { return waits.done(); });
    CHECK(waits.code() == aborted);
    release_now(f, lock);
    check_free(f, f.path);
}

TEST_CASE("who holds is told, and nobody else") {
    two_sessions f;
    auto lock = acquire_now(f, f.ours);
    std::optional<std::vector<participant>> told;
    f.theirs.participants(50, [&](error_code result, std::vector<participant> who) {
        CHECK(result == error_code{});
        told = std::move(who);
    });
    f.run_until([&] { return told.has_value(); });
    REQUIRE(told->size() == 1);
    CHECK(told->front().node == "holder");
    CHECK(told->front().holds);
    CHECK_FALSE(told->front().foreign);
    CHECK(told->front().session_id == f.here.id());
    CHECK_FALSE(told->front().host.empty());
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

TEST_CASE("a node that another hand deletes is a lock lost") {
    two_sessions f;
    auto lock = acquire_now(f, f.ours);
    probe lost;
    lock.wait_lost(lost.make());
    f.run_until([&] { return watches_below(shared_server().port(), f.path) > 0; });
    foreign_client hand{shared_server().address()};
    REQUIRE(hand.remove(f.path + "/holder") == 0);
    auto next = acquire_now(f, f.theirs);
    f.run_until([&] { return lost.done(); });
    CHECK(lost.code() == error::ticket_deleted);
    CHECK_FALSE(lock.is_held());
    lock = {}; // deletes nothing of the next one's
    settle(f, f.here);
    CHECK(next.is_held());
    CHECK(children_of(f.path) == texts{"holder"});
    release_now(f, next);
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

TEST_CASE("an acquire that is cancelled while its node is made leaves none") {
    outage_rig r;
    const auto path = fresh_path("single-cancel");
    single_node_mutex ours{r.s, path};
    const auto rule = r.proxy.add_rule({.direction = direction::to_client,
                                        .op = op::multi,
                                        .part = op::set_data,
                                        .path = path,
                                        .action = action::hold});
    cancellable acquire;
    ours.acquire(acquire.token());
    run_until_hit(r.f, r.proxy, rule);
    acquire.cancel(GENERATE(every_cancellation_type()));
    r.f.run_until([&] { return acquire.done(); });
    CHECK(acquire.code() == aborted);
    r.proxy.release_held();
    check_free(r.f, path);
}
