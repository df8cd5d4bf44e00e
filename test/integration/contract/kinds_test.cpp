// SPDX-License-Identifier: BSL-1.0
// What Asio and the library promise of an acquire, for each kind of lock.
#include "integration/support/cancel_support.hpp"
#include "integration/token/contract_allocator.hpp"

#include <boost/asio/bind_allocator.hpp>

namespace {

// What is asked of a lock object by a view of it, which ends with the object.
template <class Lock>
struct object_of_view {
    Lock object;
};

struct reader_kind : private object_of_view<shared_mutex>, public lock_view {
    reader_kind(session& owner, const std::string& path)
        : object_of_view{shared_mutex{owner, path}}, lock_view(object.shared()) {}
};

struct leases_kind : private object_of_view<semaphore>, public lock_view {
    leases_kind(session& owner, const std::string& path)
        : object_of_view{semaphore{owner, path, 2}}, lock_view(object.permits(2)) {}
};

struct several_kind : multi_lock {
    several_kind(session& owner, const std::string& path)
        : multi_lock{mutex{owner, path}, single_node_mutex{owner, path + "-second"}} {}
};

// Readers wait for a writer.
template <class Kind>
using opponent_t = std::conditional_t<std::is_same_v<Kind, reader_kind>, shared_mutex, Kind>;

/// Two sessions with a lock each, on one path.
template <class Kind>
struct kind_stage : fixture {
    std::string path = fresh_path("kinds");
    session here{context, options_for()};
    session there{context, options_for()};
    std::optional<Kind> ours{std::in_place, here, path};
    opponent_t<Kind> theirs{there, path};

    /// Begins to wait for what the other session holds. A later try of the same session is answered
    /// after it.
    void wait_in_line(cancellable& waiting) {
        ours->acquire(waiting.token());
        Kind same{here, path};
        CHECK(result_of(*this, [&](auto token) { same.try_acquire(std::move(token)); }) ==
              error::would_block);
        REQUIRE(waiting.pending());
    }

    /// Nothing is in the way of either.
    void check_free(held_lock held) {
        release_now(*this, held);
        Kind again{here, path};
        for (int i = 0; i < 2; ++i) {
            auto by_them = acquire_now(*this, theirs);
            release_now(*this, by_them);
            auto by_us = acquire_now(*this, again);
            release_now(*this, by_us);
        }
    }
};

} // namespace

#define EVERY_KIND mutex, shared_mutex, reader_kind, leases_kind, single_node_mutex, several_kind

TEMPLATE_TEST_CASE("an acquire keeps to what its token is bound to", "", EVERY_KIND) {
    kind_stage<TestType> stage;
    const auto strand = asio::make_strand(stage.context);
    allocation_count count;
    asio::cancellation_signal signal;
    {
        probe result;
        bool starting = false;
        asio::post(strand, [&] { // where a dispatch would run at once
            starting = true;
            stage.ours->acquire(asio::bind_cancellation_slot(
                signal.slot(),
                asio::bind_allocator(
                    counting_allocator<void>(count),
                    asio::bind_executor(
                        strand, [&, done = result.make()](error_code code, held_lock got) mutable {
                            CHECK_FALSE(starting);
                            CHECK(strand.running_in_this_thread());
                            CHECK(count.live == 0); // Asio: freed before the call
                            signal.emit(asio::cancellation_type::all); // too late
                            done(code, std::move(got));
                        }))));
            starting = false;
            CHECK(count.made > 0);
        });
        CHECK(end_of(stage, result) == error_code{});
        CHECK(result.lock().is_held());
        CHECK(result.lock().get_executor() == stage.here.get_executor());
        stage.check_free(std::move(result.lock()));
        CHECK(result.calls() == 1);
    }
    CHECK(count.live == 0);
}

TEMPLATE_TEST_CASE("an acquire of a bad path fails later than its start", "", EVERY_KIND) {
    fixture f;
    session s{f.context, options_for()};
    TestType bad{s, "not/absolute"};
    probe result;
    asio::post(f.context, [&] {
        bad.acquire(result.make());
        CHECK(result.pending());
    });
    CHECK(end_of(f, result) == error::bad_path);
    CHECK_FALSE(result.lock());
    CHECK(s.state() == session_state::idle);
}

TEMPLATE_TEST_CASE("an acquire that waits is cancelled by each type", "", EVERY_KIND) {
    const auto type = GENERATE(every_cancellation_type());
    kind_stage<TestType> stage;
    auto held = acquire_now(stage, stage.theirs);
    cancellable waiting;
    stage.wait_in_line(waiting);
    asio::post(stage.context, [&] {
        waiting.cancel(type);
        CHECK(waiting.pending());
    });
    CHECK(end_of(stage, waiting) == aborted);
    CHECK_FALSE(waiting.lock());
    stage.check_free(std::move(held));
    CHECK(waiting.calls() == 1);
}

TEMPLATE_TEST_CASE("an acquire that waits ends with its time, its lock object or its session", "",
                   EVERY_KIND) {
    kind_stage<TestType> stage;
    auto held = acquire_now(stage, stage.theirs);
    const auto in_time = result_of(stage, [&](auto token) {
        stage.ours->acquire_for(std::chrono::milliseconds{50}, std::move(token));
    });
    CHECK(in_time == error::timeout);

    cancellable of_object;
    stage.wait_in_line(of_object);
    stage.ours.reset();
    CHECK(end_of(stage, of_object) == aborted);

    cancellable of_session;
    stage.ours.emplace(stage.here, stage.path);
    stage.wait_in_line(of_session);
    CHECK(result_of(stage, [&](auto token) { stage.here.close(std::move(token)); }) ==
          error_code{});
    CHECK(end_of(stage, of_session) == error::session_closed);
    CHECK(of_object.calls() + of_session.calls() == 2);

    release_now(stage, held);
    auto again = acquire_now(stage, stage.theirs); // nobody stands before it
    release_now(stage, again);
}

TEMPLATE_TEST_CASE("a lock is released with the last of its handles", "", EVERY_KIND) {
    kind_stage<TestType> stage;
    auto first = acquire_now(stage, *stage.ours);
    auto last = first.share();
    CHECK(last.fencing_tokens() == first.fencing_tokens());
    CHECK(last.deadline() >= first.deadline());
    probe told;
    first.wait_lost(told.make());
    release_now(stage, first); // which completes, though another handle remains
    CHECK(end_of(stage, told) == error::released);
    CHECK(last.is_held());
    CHECK(result_of(stage, [&](auto token) { stage.theirs.try_acquire(std::move(token)); }) ==
          error::would_block);
    stage.check_free(std::move(last));
}

TEMPLATE_TEST_CASE("an acquire is awaited by a coroutine and by a thread", "", EVERY_KIND) {
    kind_stage<TestType> stage;
    stage.run([&]() -> asio::awaitable<void> {
        {
            const held_lock held = co_await stage.ours->acquire(asio::deferred);
            CHECK(held.is_held());
        }
        auto held = co_await stage.ours->acquire(asio::use_awaitable);
        CHECK(held.is_held());
        const auto [code, nothing] =
            co_await stage.theirs.try_acquire(asio::as_tuple(asio::deferred));
        CHECK(!code); // that others have it is no error
        CHECK_FALSE(nothing);
        CHECK_FALSE(nothing.is_held());
        co_await held.release();
    });
    auto future = stage.ours->acquire(asio::use_future);
    stage.run_until(
        [&] { return future.wait_for(std::chrono::seconds{0}) == std::future_status::ready; });
    CHECK(future.get().is_held());
}
