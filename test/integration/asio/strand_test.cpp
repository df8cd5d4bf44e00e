// SPDX-License-Identifier: BSL-1.0
// A session on a strand, which refers to its context: nothing that outlives the context may.
#include "integration/support/cancel_support.hpp"

namespace {

// What a program keeps when the context goes.
struct survivors {
    std::optional<session> s;
    std::optional<mutex> lock;
    std::optional<mutex> misnamed;
    held_lock held;
};

// Sets out to acquire, and is left after so many handlers. Whether it had come to its end.
bool leave_on_strand_after(int handlers, survivors& kept, const session_options& options,
                           const std::string& path) {
    fixture f;
    bool done = false;
    kept.s.emplace(asio::make_strand(f.context), options);
    kept.lock.emplace(*kept.s, path);
    kept.misnamed.emplace(*kept.s, "bad path");
    kept.lock->acquire([&](error_code, held_lock got) {
        kept.held = std::move(got);
        done = true;
    });
    for (int i = 0; i < handlers && !done; ++i)
        f.context.run_one_for(fixture::default_limit);
    return done;
}

// Every operation on what is left: its handler is destroyed uninvoked, since nothing could run it.
void use(survivors& kept) {
    probe dropped[7];
    kept.s->connect(dropped[0].make());
    kept.s->close(dropped[1].make());
    kept.s->wait_state_change(session_state::connected, dropped[2].make());
    kept.lock->acquire(dropped[3].make());
    kept.misnamed->acquire(dropped[4].make());
    if (kept.held) {
        kept.held.wait_lost(dropped[5].make());
        kept.held.release(dropped[6].make());
    }
    for (const auto& one : dropped)
        CHECK(one.dropped());
    CHECK(kept.s->state() == session_state::closed);
    CHECK(kept.s->id() == 0);
    CHECK(kept.s->negotiated_timeout() == std::chrono::milliseconds{0});
}

} // namespace

TEST_CASE("what outlives the context of its session on a strand can be used and destroyed") {
    const bool used = GENERATE(false, true);
    const auto path = fresh_path("strand");
    for (int handlers = 0;; ++handlers) {
        REQUIRE(handlers < 2000);
        survivors kept;
        const bool done = leave_on_strand_after(handlers, kept, options_for(), path);
        CHECK_FALSE(kept.held.is_held());
        if (used)
            use(kept);
        if (done)
            break;
    }
    await_empty(path);
}

TEST_CASE("a session with bad options on a strand may outlive its context") {
    const bool used = GENERATE(false, true);
    session_options bad;
    bad.timeout = std::chrono::milliseconds{0};
    survivors kept;
    CHECK(leave_on_strand_after(100, kept, bad, "/l"));
    if (used)
        use(kept);
}
