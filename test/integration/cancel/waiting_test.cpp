// SPDX-License-Identifier: BSL-1.0
// An acquire that is cancelled while it waits in line.
#include "integration/support/cancel_support.hpp"

#include <deque>

namespace asio = boost::asio;
using namespace turnstile;
using namespace turnstile::test;

TEST_CASE("an acquire is cancelled while it waits") {
    const auto type = GENERATE(every_cancellation_type());
    const bool behind_own = GENERATE(false, true);
    const bool limited = GENERATE(false, true);
    fixture f;
    const auto path = fresh_path("cancel-waiting");
    session other{f.context, options_for()};
    session s{f.context, options_for()};
    mutex theirs{behind_own ? s : other, path};
    mutex lock{s, path};
    auto held = acquire_now(f, theirs);
    cancellable acquire;
    if (limited)
        lock.acquire_for(std::chrono::minutes{1}, acquire.token());
    else
        lock.acquire(acquire.token());
    f.run_until([&] { return children_of(path).size() == 2; });
    acquire.cancel(type);
    f.run_until([&] { return acquire.done(); });
    CHECK(acquire.code() == aborted);
    CHECK_FALSE(acquire.lock());
    f.run_until([&] { return children_of(path).size() == 1; });
    CHECK(held.is_held());
    release_now(f, held);
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

TEST_CASE("an acquire is cancelled while it lists the line") {
    const auto type = GENERATE(every_cancellation_type());
    fixture f;
    const auto path = fresh_path("cancel-listing");
    frame_proxy proxy{shared_server().port()};
    session other{f.context, options_for()};
    session s{f.context, options_for(proxy.address())};
    mutex theirs{other, path};
    mutex lock{s, path};
    auto held = acquire_now(f, theirs);
    cancellable gone;
    theirs.acquire(gone.token());
    f.run_until([&] { return children_of(path).size() == 2; });
    gone.cancel();
    f.run_until([&] { return children_of(path).size() == 1; });
    const auto rule = proxy.add_rule(
        {.direction = direction::to_client, .op = op::get_children2, .action = action::hold});
    cancellable acquire; // the one before it by number is gone, so it lists
    lock.acquire(acquire.token());
    run_until_hit(f, proxy, rule);
    acquire.cancel(type);
    f.run_until([&] { return acquire.done(); });
    CHECK(acquire.code() == aborted);
    proxy.release_held();
    f.run_until([&] { return children_of(path).size() == 1; });
    release_now(f, held);
    check_nothing_left(f, s, path);
    CHECK(acquire.calls() == 1);
}
