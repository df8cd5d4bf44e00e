// SPDX-License-Identifier: BSL-1.0
// A scenario that is left after each of its handlers. Then all its objects are destroyed, in each
// of several orders. Nothing may crash, and no ticket may stay.
#include "integration/support/cancel_support.hpp"

namespace {

// Connects, acquires, lines up behind itself, hands over, releases and closes. It is written with
// callbacks, so that no coroutine's frame owns the objects.
struct scenario {
    explicit scenario(asio::io_context& context, const std::string& path)
        : s{std::in_place, context, options_for()}, lock{std::in_place, *s, path} {
        s->wait_state_change(session_state::closed, watching.make());
        s->connect([this](error_code code) {
            if (!code && lock)
                acquire();
        });
    }

    void acquire() {
        lock->acquire([this](error_code code, held_lock got) {
            if (code)
                return;
            held = std::move(got);
            held.wait_lost(lost.make());
            if (!lock)
                return;
            lock->acquire([this](error_code late, held_lock next) {
                if (!late)
                    next.release([this](error_code) { close(); });
            });
            held.release(released.make());
        });
    }
    void close() {
        if (s)
            s->close([this](error_code) { done = true; });
    }

    std::optional<session> s;
    std::optional<mutex> lock;
    held_lock held;
    probe watching;
    probe lost;
    probe released;
    bool done = false;
};

// Runs so many handlers of a new scenario, and destroys all in this order. Returns whether the
// scenario was over before that.
bool leave_after(int handlers, int order, const std::string& path) {
    auto f = std::make_unique<fixture>(); // owns the context
    auto play = std::make_unique<scenario>(f->context, path);
    for (int i = 0; i < handlers && !play->done; ++i)
        f->context.run_one_for(fixture::default_limit);
    const bool over = play->done;
    switch (order) {
    case 0: // the context first, as a program does that returns from main
        f.reset();
        break;
    case 1: // the session, then the context
        play->s.reset();
        f.reset();
        break;
    case 2: // lock object, session, held lock; then all handlers that are ready run
        play->lock.reset();
        play->s.reset();
        play->held = held_lock{};
        f->context.poll();
        f.reset();
        break;
    case 3: // held lock and lock object, one handler, the session, one handler
        play->held = held_lock{};
        play->lock.reset();
        f->context.poll_one();
        play->s.reset();
        f->context.poll_one();
        f.reset();
        break;
    default: // the session first; then the context runs until it has nothing left to do
        play->s.reset();
        f->run_out();
        CHECK_FALSE(play->lost.pending());
        CHECK_FALSE(play->released.pending());
        CHECK_FALSE(play->watching.pending());
        f.reset();
    }
    return over;
}

} // namespace

TEST_CASE("a scenario may be left after any handler and destroyed in any order") {
    const auto order = GENERATE(0, 1, 2, 3, 4);
    const auto path = fresh_path("brute");
    int handlers = 0;
    while (!leave_after(handlers, order, path))
        REQUIRE(++handlers < 2000);
    CHECK(handlers > 10);
    await_empty(path);
}

TEST_CASE("coroutines may be left after any handler and destroyed with their context") {
    const bool session_inside = GENERATE(true, false);
    const auto path = fresh_path("brute-coroutine");
    for (int handlers = 0;; ++handlers) {
        REQUIRE(handlers < 2000);
        fixture f;
        std::optional<session> outside{std::in_place, f.context, options_for()};
        int ended = 0;
        for (int i = 0; i < 2; ++i)
            f.spawn([&]() -> asio::awaitable<void> {
                std::optional<session> inside;
                if (session_inside)
                    inside.emplace(f.context, options_for());
                auto& s = inside ? *inside : *outside;
                mutex lock{s, path};
                co_await s.connect();
                auto held = co_await lock.acquire();
                co_await held.release();
                co_await with_lock(lock, [&]() -> asio::awaitable<void> {
                    co_await s.wait_state_change(session_state::idle);
                });
                if (inside)
                    co_await s.close();
                ++ended;
            });
        for (int i = 0; i < handlers && ended < 2; ++i)
            f.context.run_one_for(fixture::default_limit);
        if (ended == 2)
            break;
        if (handlers % 2 == 0)
            outside.reset();
    }
    await_empty(path);
}
