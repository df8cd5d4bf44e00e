// SPDX-License-Identifier: BSL-1.0
// What a session and its locks have counted.
#include "integration/support/cancel_support.hpp"
#include "integration/support/fault_rig.hpp"
#include "support/foreign_client.hpp"

namespace {

// One that may not wait, one whose time is up, and one that is cancelled.
template <class Lock>
void end_in_vain(fixture& f, Lock& lock) {
    probe busy;
    probe late;
    cancellable dropped;
    lock.try_acquire(busy.make());
    lock.acquire_for(1ms, late.make());
    lock.acquire(dropped.token());
    f.run_until([&] { return busy.done() && late.done(); });
    CHECK(lock.usage().waiting() == 1);
    dropped.cancel();
    f.run_until([&] { return dropped.done(); });
}

} // namespace

TEST_CASE("usage counts acquires by their end, and what is held") {
    fixture f;
    const auto path = fresh_path("usage");
    session s{f.context, options_for()};
    mutex lock{s, path};
    mutex other{s, path};
    CHECK(lock.usage().acquires == 0);
    auto held = acquire_now(f, lock);
    CHECK(lock.usage().held() == 1);
    end_in_vain(f, lock);
    release_now(f, held);
    auto again = acquire_now(f, other);
    again = held_lock{};

    const auto used = lock.usage();
    CHECK(used.acquires == 4);
    CHECK(used.granted == 1);
    CHECK(used.would_block == 1);
    CHECK(used.timed_out == 1);
    CHECK(used.cancelled == 1);
    CHECK(used.failed == 0);
    CHECK(used.released == 1);
    CHECK(used.lost == 0);
    CHECK(used.waiting() + used.held() == 0);
    CHECK(used.wait.count() == 1);
    CHECK(used.wait.sum > 0ns);
    CHECK(used.hold.count() == 1);
    CHECK(used.hold.sum > 0ns);

    f.run_until([&] { return s.usage().locks.released == 2; });
    const auto all = s.usage();
    CHECK(all.locks.acquires == 5);
    CHECK(all.locks.granted == 2);
    CHECK(all.locks.wait.count() == 2);
    CHECK(all.connections == 1);
    CHECK(all.sessions == 1);
    CHECK(all.connections_lost + all.failed_attempts + all.risks == 0);
}

TEST_CASE("usage of several locks as one counts them as one lock") {
    fixture f;
    session s{f.context, options_for()};
    mutex first{s, fresh_path("usage")};
    mutex second{s, fresh_path("usage")};
    multi_lock both{first, second};
    auto held = acquire_now(f, both);
    CHECK(both.usage().held() == 1);
    end_in_vain(f, both);
    auto handle = held.share();
    release_now(f, handle);
    CHECK(both.usage().held() == 1);
    release_now(f, held);
    CHECK(both.usage().released == 1);

    held = acquire_now(f, both);
    delete_tickets(second.path());
    f.run_until([&] { return !held.is_held(); });
    held = held_lock{};

    const auto used = both.usage();
    CHECK(used.acquires == 5);
    CHECK(used.granted == 2);
    CHECK(used.would_block == 1);
    CHECK(used.timed_out == 1);
    CHECK(used.cancelled == 1);
    CHECK(used.failed == 0);
    CHECK(used.released == 1);
    CHECK(used.lost == 1);
    CHECK(used.waiting() + used.held() == 0);
    CHECK(used.wait.count() == 2);
    CHECK(used.hold.count() == 2);
    CHECK(first.usage().acquires == 0); // parts have their own objects
}

TEST_CASE("usage counts apart what the program's own close ended") {
    fixture f;
    session s{f.context, options_for()};
    mutex one{s, fresh_path("usage")};
    mutex other{s, fresh_path("usage")};
    multi_lock both{other};
    auto held = acquire_now(f, one);
    auto parts = acquire_now(f, both);
    CHECK(result_of(f, [&](auto token) { s.close(std::move(token)); }) == error_code{});
    CHECK_FALSE(held.is_held());
    parts = held_lock{};
    for (const auto& used : {one.usage(), both.usage()}) {
        CHECK(used.closed == 1);
        CHECK(used.lost == 0);
        CHECK(used.held() == 0);
        CHECK(used.hold.count() == 1);
    }
    CHECK(s.usage().locks.closed == 2);
    CHECK(s.usage().locks.lost == 0);
}

TEST_CASE("usage counts connections, risks and losses") {
    fixture f;
    frame_proxy proxy{shared_server().port()};
    proxy.set_outage(true);
    session s{f.context, impatient(proxy.address())};
    contender holder{s, fresh_path("usage")};
    holder.acquire();
    f.run_until([&] { return s.usage().failed_attempts >= 3; });
    CHECK(s.usage().connections == 0);
    proxy.set_outage(false);
    f.run_until([&] { return holder.holds(); });
    CHECK(s.usage().connections == 1);
    proxy.cut_all();
    f.run_until([&] { return s.usage().connections == 2; });
    CHECK(s.usage().connections_lost == 1);
    CHECK(s.usage().sessions == 1);
    proxy.set_black_hole(true);
    f.run_until([&] { return holder.loss.has_value(); });
    CHECK(s.usage().risks == 1);
    CHECK(s.usage().locks.lost == 1);
    CHECK(s.usage().locks.held() == 0);
    CHECK(holder.where.usage().hold.count() == 1);
}
