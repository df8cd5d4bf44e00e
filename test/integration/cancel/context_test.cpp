// SPDX-License-Identifier: BSL-1.0
// The io_context is destroyed while operations are pending: their handlers are never called.
#include "integration/support/cancel_support.hpp"

namespace {

// Everything that belongs to a context, in an order of destruction that the test chooses.
struct world {
    std::unique_ptr<fixture> f = std::make_unique<fixture>();
    std::optional<session> s{std::in_place, f->context, options_for()};
    std::string path = fresh_path("context");
    std::optional<mutex> lock{std::in_place, *s, path};
};

} // namespace

TEST_CASE("a context may be destroyed before the objects that work on it") {
    const bool connected = GENERATE(false, true);
    world w;
    probe close;
    probe connect;
    probe wait;
    probe acquire;
    probe waiting;
    probe lost;
    probe release;
    if (connected)
        acquire_now(*w.f, *w.lock) = held_lock{}; // released in the background
    w.s->wait_state_change(w.s->state(), wait.make());
    w.lock->acquire(acquire.make());
    if (connected) {
        w.f->run_until([&] { return acquire.done(); });
        acquire.lock().wait_lost(lost.make());
        w.lock->acquire(waiting.make());
        w.f->run_until([&] { return children_of(w.path).size() == 2; });
        acquire.lock().release(release.make());
    }
    w.s->connect(connect.make());
    w.s->close(close.make());
    w.f.reset();
    CHECK(wait.dropped());
    CHECK(connect.dropped());
    CHECK(close.dropped());
    if (connected) {
        CHECK(lost.dropped());
        CHECK(waiting.dropped());
        CHECK(release.dropped());
    } else {
        CHECK(acquire.dropped());
    }
    await_empty(w.path);
}

TEST_CASE("locks and deferred operations may outlive their context") {
    const auto path = fresh_path("context-outlived");
    world w;
    auto held = acquire_now(*w.f, *w.lock);
    auto other = acquire_now(*w.f, *std::make_unique<mutex>(*w.s, fresh_path("context-outlived")));
    auto acquire = w.lock->acquire();
    auto release = other.release();
    w.f.reset();
    probe late;
    probe released;
    probe connected;
    std::move(acquire)(late.make());
    std::move(release)(released.make());
    w.s->connect(connected.make());
    CHECK(late.dropped());
    CHECK(released.dropped());
    CHECK(connected.dropped());
    CHECK(held); // still owned, and lost with its context
    CHECK_FALSE(held.is_held());
    held = held_lock{};
    mutex more{*w.s, "/locks/more"};
    CHECK(more.path() == "/locks/more");
    w.s->id();
    await_empty(w.path);
}

TEST_CASE("a handler that owns the session and its lock goes with the context") {
    const auto path = fresh_path("context-owner");
    {
        fixture f;
        auto s = std::make_shared<session>(f.context, options_for());
        auto lock = std::make_shared<mutex>(*s, path);
        auto held = std::make_shared<held_lock>(acquire_now(f, *lock));
        held->wait_lost([s, lock, held](error_code) { FAIL("never called"); });
        lock->acquire([s, lock](error_code, held_lock) { FAIL("never called"); });
        s.reset();
        lock.reset();
        held.reset();
        f.run_until([&] { return children_of(path).size() == 2; });
    }
    await_empty(path);
}
