// SPDX-License-Identifier: BSL-1.0
// What becomes of acquires when their mutex or their session is destroyed.
#include "acquire_kind.hpp"
#include "integration/support/cancel_support.hpp"

#include <optional>

namespace asio = boost::asio;
using namespace turnstile;
using namespace turnstile::test;

namespace {

// Where an acquire is when something is destroyed.
enum class phase { started, connecting, path_made, create_sent, neighbour, behind_other };

auto every_phase() {
    return Catch::Generators::values({phase::started, phase::connecting, phase::path_made,
                                      phase::create_sent, phase::neighbour, phase::behind_other});
}

// A try does not wait in line.
bool ends_by_itself(phase where, acquire_kind what) {
    return what == acquire_kind::try_acquire &&
           (where == phase::neighbour || where == phase::behind_other);
}

struct cancel_stage : fixture {
    std::string path = fresh_path("destroyed");
    frame_proxy proxy{shared_server().port()};
    session other{context, options_for()};
    mutex theirs{other, path};
    std::optional<session> s{std::in_place, context, options_for(proxy.address())};
    std::optional<mutex> lock{std::in_place, *s, path};
    std::optional<mutex> second{std::in_place, *s, path};
    held_lock held;
    cancellable acquire;
    acquire_kind what;

    explicit cancel_stage(phase where, acquire_kind kind = acquire_kind::acquire) : what(kind) {
        if (where == phase::create_sent || where == phase::behind_other)
            held = acquire_now(*this, theirs);
        if (where == phase::neighbour)
            held = acquire_now(*this, *second);
        switch (where) {
        case phase::started:
            start_acquire(*lock, what, acquire.token());
            break;
        case phase::connecting:
            hold(op::connect);
            break;
        case phase::path_made:
            hold(op::create_container);
            break;
        case phase::create_sent:
            hold(op::multi);
            break;
        case phase::neighbour:
        case phase::behind_other:
            wait_in_line();
        }
    }

    void hold(op request) {
        const auto rule = proxy.add_rule(
            {.direction = direction::to_client, .op = request, .action = action::hold});
        start_acquire(*lock, what, acquire.token());
        run_until_hit(*this, proxy, rule);
        REQUIRE(acquire.pending());
    }
    void wait_in_line() {
        start_acquire(*lock, what, acquire.token());
        run_until([this] { return children_of(path).size() == 2; });
        REQUIRE(acquire.pending());
    }
};

} // namespace

TEST_CASE("the destruction of a mutex cancels its acquires and no other's") {
    const auto where = GENERATE(every_phase());
    const auto what = GENERATE(every_kind());
    if (ends_by_itself(where, what))
        return;
    cancel_stage t{where, what};
    probe stays;
    t.second->acquire(stays.make());
    t.lock.reset();
    CHECK(t.acquire.calls() == 0);
    t.run_until([&] { return t.acquire.done(); });
    CHECK(t.acquire.code() == aborted);
    CHECK_FALSE(t.acquire.lock());
    CHECK(stays.pending());
    t.proxy.release_held();
    t.proxy.clear_rules();
    t.held = held_lock{};
    t.run_until([&] { return stays.done(); });
    CHECK(stays.code() == error_code{});
    release_now(t, stays.lock());
    check_nothing_left(t, *t.s, t.path);
    CHECK(t.acquire.calls() == 1);
}

TEST_CASE("a mutex that is assigned to cancels the acquires of the old one") {
    cancel_stage t{GENERATE(phase::neighbour, phase::behind_other)};
    *t.lock = mutex{*t.s, fresh_path("assigned")};
    t.run_until([&] { return t.acquire.done(); });
    CHECK(t.acquire.code() == aborted);
    t.run_until([&] { return children_of(t.path).size() == 1; });
    auto held = acquire_now(t, *t.lock);
    release_now(t, held);
    t.held = held_lock{};
    check_nothing_left(t, *t.s, t.path);
}

TEST_CASE("a mutex that was moved from cancels nothing") {
    cancel_stage t{GENERATE(phase::neighbour, phase::behind_other)};
    {
        mutex moved{std::move(*t.lock)};
        t.lock.reset();
        t.context.poll();
        CHECK(t.acquire.pending());
        CHECK(moved.path() == t.path);
        t.held = held_lock{};
        t.run_until([&] { return t.acquire.done(); });
        CHECK(t.acquire.code() == error_code{});
    }
    release_now(t, t.acquire.lock());
    check_nothing_left(t, *t.s, t.path);
}

TEST_CASE("the destruction of a session ends its acquires with session_closed") {
    const auto where = GENERATE(every_phase());
    const auto what = GENERATE(every_kind());
    const bool mutex_goes_first = GENERATE(true, false);
    if (ends_by_itself(where, what))
        return;
    cancel_stage t{where, what};
    if (mutex_goes_first)
        t.lock.reset();
    t.s.reset();
    CHECK(t.acquire.calls() == 0);
    t.run_until([&] { return t.acquire.done(); });
    CHECK(t.acquire.code() == (mutex_goes_first ? aborted : error_code{error::session_closed}));
    CHECK_FALSE(t.acquire.lock());
    t.held = held_lock{};
    t.proxy.release_held();
    t.proxy.clear_rules();
    t.run_until([&] { return children_of(t.path).empty(); });
    auto next = acquire_now(t, t.theirs);
    release_now(t, next);
    if (t.lock) { // of a session that is gone
        probe late;
        t.lock->acquire(late.make());
        t.run_until([&] { return late.done(); });
        CHECK(late.code() == error::session_closed);
    }
    CHECK(t.acquire.calls() == 1);
}
