// SPDX-License-Identifier: BSL-1.0
// A log sink that uses the library: it is called by the machine at work, and must not re-enter it.
#include "integration/support/cancel_support.hpp"

#include "support/foreign_client.hpp"

namespace {

// A holder, a waiter behind it and what is told when the held ticket is deleted by a foreign
// client.
struct sink_stage : fixture {
    std::string path = fresh_path("sink");
    std::function<void()> act;
    std::optional<session> s;
    std::optional<mutex> lock;
    held_lock held;
    probe lost;
    probe waiter;

    sink_stage() {
        auto options = options_for();
        options.log.sink = [this](log_level, std::string_view text) {
            if (text.find(": lost ") != text.npos && act)
                std::exchange(act, nullptr)();
        };
        s.emplace(context, options);
        lock.emplace(*s, path);
        held = acquire_now(*this, *lock);
        held.wait_lost(lost.make());
        lock->acquire(waiter.make());
        run_until([this] { return children_of(path).size() == 2; });
    }

    // At the latest the next beat finds it gone.
    void delete_ticket() {
        foreign_client other{foreign_client::options{.address = shared_server().address(),
                                                     .digest = "turnstile:turnstile"}};
        REQUIRE(other.remove(path + '/' + children_of(path).at(0)) == 0);
        run_until([this] { return lost.done() && waiter.done(); });
        CHECK_FALSE(act);
        CHECK(lost.calls() == 1);
        CHECK(waiter.calls() == 1);
        CHECK_FALSE(held.is_held());
    }
};

} // namespace

TEST_CASE("a log sink may close the session") {
    sink_stage t;
    probe closed;
    t.act = [&] {
        t.s->close(closed.make());
        CHECK(t.s->state() == session_state::connected); // it begins when the machine is done
    };
    t.delete_ticket();
    CHECK(end_of(t, closed) == error_code{});
    CHECK(t.s->state() == session_state::closed);
    await_empty(t.path);
}

TEST_CASE("a log sink may let go of session, mutex and lock") {
    sink_stage t;
    t.act = [&] {
        t.held = held_lock{};
        t.lock.reset();
        t.s.reset();
    };
    t.delete_ticket();
    await_empty(t.path);
}
