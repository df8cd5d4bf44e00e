// SPDX-License-Identifier: BSL-1.0
// An acquire that is cancelled, or whose mutex or session is destroyed, in each of its phases.
#include "integration/support/cancel_support.hpp"

#include "acquire_kind.hpp"

namespace {

enum class phase {
    started,
    connecting,
    path_made,
    create_sent,
    looks,
    lists,
    neighbour,
    behind_other
};

auto every_phase() {
    return Catch::Generators::values({phase::started, phase::connecting, phase::path_made,
                                      phase::create_sent, phase::looks, phase::lists,
                                      phase::neighbour, phase::behind_other});
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
        if (where == phase::neighbour)
            held = acquire_now(*this, *second);
        else if (where >= phase::create_sent)
            held = acquire_now(*this, theirs);
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
        case phase::looks:
            hold(op::get_data, path + "/turn-");
            break;
        case phase::lists: // the one before it by number is gone
            leave_a_gap();
            hold(op::get_children2, path);
            break;
        case phase::neighbour:
        case phase::behind_other:
            wait_in_line();
        }
    }

    void hold(op request, const std::string& at = {}) {
        const auto rule = proxy.add_rule(
            {.direction = direction::to_client, .op = request, .path = at, .action = action::hold});
        start_acquire(*lock, what, acquire.token());
        run_until_hit(*this, proxy, rule);
        REQUIRE(acquire.pending());
    }
    void leave_a_gap() {
        cancellable gone;
        theirs.acquire(gone.token());
        run_until([this] { return children_of(path).size() == 2; });
        gone.cancel();
        run_until([&] { return gone.done() && children_of(path).size() == 1; });
    }
    void wait_in_line() {
        start_acquire(*lock, what, acquire.token());
        run_until([this] { return children_of(path).size() == 2; });
        REQUIRE(acquire.pending());
    }
};

} // namespace

TEST_CASE("an acquire is cancelled in each phase, by each type") {
    const auto where = GENERATE(every_phase());
    const auto what = GENERATE(every_kind());
    const auto type = GENERATE(every_cancellation_type());
    if (ends_by_itself(where, what))
        return;
    CAPTURE(static_cast<int>(where), static_cast<int>(what), static_cast<int>(type));
    cancel_stage t{where, what};
    t.acquire.cancel(type);
    t.acquire.cancel(asio::cancellation_type::total); // of no consequence
    CHECK(t.acquire.calls() == 0);                    // never inline
    t.run_until([&] { return t.acquire.done(); });    // without the reply that is on its way
    CHECK(t.acquire.code() == aborted);
    CHECK_FALSE(t.acquire.lock());
    t.acquire.cancel(type);
    t.proxy.release_held();
    t.proxy.clear_rules();
    const std::size_t stay = t.held ? 1 : 0;
    t.run_until([&] { return children_of(t.path).size() == stay; });
    CHECK(t.held.is_held() == bool(t.held));
    t.held = held_lock{};
    check_nothing_left(t, *t.s, t.path);
    CHECK(t.acquire.calls() == 1);
}

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
    CHECK(end_of(t, t.acquire) == aborted);
    CHECK_FALSE(t.acquire.lock());
    CHECK(stays.pending());
    t.proxy.release_held();
    t.proxy.clear_rules();
    t.held = held_lock{};
    CHECK(end_of(t, stays) == error_code{});
    release_now(t, stays.lock());
    check_nothing_left(t, *t.s, t.path);
    CHECK(t.acquire.calls() == 1);
}

TEST_CASE("a mutex that is assigned to cancels the acquires of the old one") {
    cancel_stage t{GENERATE(phase::neighbour, phase::behind_other)};
    *t.lock = mutex{*t.s, fresh_path("assigned")};
    CHECK(end_of(t, t.acquire) == aborted);
    t.run_until([&] { return children_of(t.path).size() == 1; });
    auto held = acquire_now(t, *t.lock);
    release_now(t, held);
    t.held = held_lock{};
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
    CHECK(end_of(t, t.acquire) == (mutex_goes_first ? aborted : error_code{error::session_closed}));
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
        CHECK(end_of(t, late) == error::session_closed);
    }
    CHECK(t.acquire.calls() == 1);
}

TEST_CASE("a cancelled ticket whose create was cut off is found and deleted after the reconnect") {
    const auto type = GENERATE(every_cancellation_type());
    fixture f;
    const auto path = fresh_path("cancel-cut");
    frame_proxy proxy{shared_server().port()};
    auto options = options_for(proxy.address());
    options.log.level = log_level::none; // the cut is expected
    session s{f.context, options};
    mutex lock{s, path};
    {
        auto first = acquire_now(f, lock);
        release_now(f, first);
    }
    const auto id = s.id();
    const auto rule = proxy.add_rule(
        {.direction = direction::to_client, .op = op::multi, .action = action::hold});
    cancellable acquire;
    lock.acquire(acquire.token());
    run_until_hit(f, proxy, rule);
    acquire.cancel(type);
    CHECK(end_of(f, acquire) == aborted);
    CHECK(children_of(path).size() == 1);
    proxy.cut_all(); // the reply is lost for good
    f.run_until([&] { return children_of(path).empty(); });
    CHECK(s.id() == id); // by its own doing, not by an expiry
    check_nothing_left(f, s, path);
    CHECK(acquire.calls() == 1);
}

TEST_CASE("those behind a cancelled acquire are granted in order") {
    const auto type = GENERATE(every_cancellation_type());
    // Which of the seven leave: next to the holder, next to each other, at the end.
    const auto leaving = GENERATE(0b0000001u, 0b0000011u, 0b0101010u, 0b1100001u, 0b1111110u);
    const auto sessions = GENERATE(1u, 2u, 3u);
    fixture f;
    const auto path = fresh_path("cancel-in-line");
    std::deque<session> all;
    std::deque<mutex> locks;
    for (unsigned i = 0; i < sessions; ++i) {
        all.emplace_back(f.context, options_for());
        locks.emplace_back(all.back(), path);
    }
    auto held = acquire_now(f, locks[0]);
    std::deque<cancellable> line(7);
    for (unsigned i = 0; i < line.size(); ++i) {
        locks[(i + 1) % sessions].acquire(line[i].token());
        f.run_until([&] { return children_of(path).size() == i + 2; });
    }
    for (unsigned i = 0; i < line.size(); ++i)
        if (leaving & (1u << i))
            line[i].cancel(type);
    auto last = held.fencing_token();
    held = held_lock{};
    for (unsigned i = 0; i < line.size(); ++i) {
        f.run_until([&] { return line[i].done(); });
        if (leaving & (1u << i)) {
            CHECK(line[i].code() == aborted);
            continue;
        }
        CHECK(line[i].code() == error_code{});
        CHECK(line[i].lock().fencing_token() > last);
        for (unsigned k = i + 1; k < line.size(); ++k)
            CHECK((line[k].pending() || line[k].code() == aborted));
        last = line[i].lock().fencing_token();
        line[i].lock() = held_lock{};
    }
    f.run_until([&] { return children_of(path).empty(); });
}
