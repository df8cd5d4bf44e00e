// SPDX-License-Identifier: BSL-1.0
// Lock paths are container nodes: the server removes them when they are empty, at any moment.
#include "integration/support/fault_rig.hpp"
#include "support/pch.hpp"

using namespace turnstile;
using namespace turnstile::test;
using namespace std::chrono_literals;

namespace {

struct reaped_rig {
    zookeeper_server server{{.container_check_ms = 20}};
    const std::string path = "/locks/orders/today"; // the parents go as well
    onlooker eyes{server.address()};
    fixture f;
    session s{f.context, impatient(server.address())};
    session t{f.context, impatient(server.address())};
    journal book;
    contender one{s, path, &book};
    contender other{t, path, &book};

    bool is_there() { return eyes.client().exists(path) == 0; }
    [[nodiscard]] bool idle() const {
        return one.started == one.completed && other.started == other.completed;
    }
};

} // namespace

TEST_CASE("a lock path that the server removed again and again is made anew each time") {
    reaped_rig r;
    std::set<std::int64_t> incarnations;
    for (int round = 0; round < 25; ++round) {
        // The one that made it last knows it by its old name; the other by an older one.
        auto& first = round % 2 == 0 ? r.one : r.other;
        auto& second = round % 2 == 0 ? r.other : r.one;
        first.acquire();
        second.acquire();
        r.f.run_until([&] { return first.holds() || second.holds(); });
        incarnations.insert(r.eyes.info(r.path).czxid);
        for (const auto user : {&r.one, &r.other}) {
            user->release_when_granted = true;
            if (user->holds())
                user->release();
        }
        r.f.run_until([&] { return r.idle(); });
        r.one.release_when_granted = r.other.release_when_granted = false;
        r.f.run_until([&] { return !r.is_there(); });
    }
    CHECK(incarnations.size() == 25);
    CHECK(r.one.grants == 25);
    CHECK(r.other.grants == 25);
    CHECK(r.book.violations() == journal::no_violations);
}

TEST_CASE("a working lock whose path is removed under it completes every acquire") {
    reaped_rig r;
    int failed = 0;
    int vanished = 0;
    bool was_there = false;
    for (const auto user : {&r.one, &r.other})
        user->release_when_granted = true;
    r.other.hold_for = 1ms;
    // Breaks of all lengths about the server's interval: the path goes at every step of an acquire.
    boost::asio::steady_timer rest{r.f.context};
    for (int round = 0; round < 300; ++round) {
        for (const auto user : {&r.one, &r.other})
            user->acquire();
        r.f.run_until([&] { return r.idle(); });
        failed += r.one.failed() + r.other.failed();
        bool rested = false;
        rest.expires_after(round % 40 * 1ms);
        rest.async_wait([&](const error_code&) { rested = true; });
        r.f.run_until([&] { return rested; });
        const bool there = r.is_there();
        vanished += was_there && !there ? 1 : 0;
        was_there = there;
    }
    CHECK(failed == 0);
    CHECK(vanished > 0);
    CHECK(r.one.grants + r.other.grants == 600);
    CHECK(r.book.violations() == journal::no_violations);
    r.f.run_until([&] { return !r.is_there(); }); // nothing of ours keeps it
}
