// SPDX-License-Identifier: BSL-1.0
// Many waiters of one session, each behind a ticket of another, and the connection goes.
#include "figures.hpp"
#include "stopwatch.hpp"

#include "integration/support/fault_rig.hpp"
#include "support/frame_proxy.hpp"
#include "support/pch.hpp"

namespace {

constexpr auto crowded_path = "/q/many";
constexpr std::size_t window = 256; // looks of one batch after a reconnect

session_options with_timeout(std::chrono::seconds timeout, const std::string& servers) {
    return impatient(servers, timeout);
}

struct through_reconnect {
    through_reconnect(std::size_t waiters, std::chrono::seconds session_timeout)
        : each(waiters), timeout(session_timeout) {
        connect(f, far);
        connect(f, near);
        users.line_up_in_order(f, eyes);
        await_all_watches();
    }

    // One on each predecessor. (Those on the tickets themselves are on children.)
    void await_all_watches() {
        f.run_until([&] { return watches_of(server.port()) == 2 * each - 1; }, 60s);
    }
    std::uint64_t sent(op what) const { return proxy.stats().count(direction::to_server, what); }

    void cut_and_come_back() {
        const auto id = far.id();
        const auto looked = sent(op::get_data);
        const auto asked = sent(op::exists);
        const stopwatch since;
        proxy.cut_all();
        f.run_until([&] { return sent(op::get_data) - looked >= each - 1; }, 60s);
        await_all_watches();
        rearmed_ms = since.ms();
        batches = sent(op::exists) - asked + 1;
        CHECK(far.id() == id);
        CHECK(sent(op::set_watches) == 0);
        // Behind each batch but the last there is a question whose answer lets the next one go.
        CHECK(batches >= (each - 2) / window + 1);
    }

    void drain() {
        CHECK(users.served() == 1);
        CHECK_FALSE(users.all[0]->loss);
        users.release_when_granted();
        f.run_until([&] { return users.all_done(); }, 120s);
        CHECK(users.failures() == 0);
        CHECK(users.book.grants.size() == 2 * each);
        CHECK(users.book.in_order(users.in_line()));
        CHECK(users.book.violations() == journal::no_violations);
        await_children(f, eyes, crowded_path, 0);
        await_watches(f, server.port(), 0);
    }

    std::size_t each;
    std::chrono::seconds timeout;
    std::size_t batches = 0;
    std::chrono::milliseconds::rep rearmed_ms = 0;
    zookeeper_server server{{.max_session_timeout_ms = 40'000, .heap = "512m"}};
    frame_proxy proxy{server.port()};
    onlooker eyes{server.address()};
    fixture f;
    session far{f.context, with_timeout(timeout, proxy.address())};
    session near{f.context, with_timeout(timeout, server.address())};
    crowd users{{&far, &near}, crowded_path, 2 * each};
};

} // namespace

TEST_CASE(
    "260 waiters of one session look again in batches after a reconnect, and all are served") {
    through_reconnect r(260, 6s);
    r.cut_and_come_back();
    r.drain();
}

TEST_CASE("10000 waiters of one session through a reconnect", "[.][soak]") {
    const stopwatch lining_up;
    through_reconnect r(10'000, 15s);
    const auto lined_up = lining_up.ms();
    r.cut_and_come_back();
    const stopwatch draining;
    r.drain();
    tell_figures("waiters", {{"waiters", r.each},
                             {"tickets", 2 * r.each},
                             {"line_up_ms", lined_up},
                             {"batches", r.batches},
                             {"rearmed_ms", r.rearmed_ms},
                             {"drained_ms", draining.ms()}});
}
