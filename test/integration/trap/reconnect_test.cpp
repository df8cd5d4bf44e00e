// SPDX-License-Identifier: BSL-1.0
// Traps 3 and 4: all watches of a session in one packet, which the server may refuse for ever, and
// session events that cost the square of the number of watchers.
#include "integration/support/fault_rig.hpp"
#include "support/frame_proxy.hpp"
#include "support/pch.hpp"

using namespace turnstile;
using namespace turnstile::test;
using namespace std::chrono_literals;

namespace {

std::uint64_t set_watches_packets(const frame_proxy& proxy) {
    constexpr auto set_watches2 = static_cast<op>(105); // of later clients
    const auto stats = proxy.stats();
    return stats.count(direction::to_server, op::set_watches) +
           stats.count(direction::to_server, set_watches2);
}

void serve_through_reconnects(std::size_t count, std::size_t sessions, int reconnects) {
    frame_proxy proxy{shared_server().port()};
    onlooker eyes{shared_server().address()};
    const auto path = fresh_path("reconnect");
    fixture f;
    std::vector<std::unique_ptr<session>> owned;
    std::vector<session*> all;
    for (std::size_t i = 0; i < sessions; ++i) {
        owned.push_back(std::make_unique<session>(f.context, impatient(proxy.address())));
        all.push_back(owned.back().get());
        connect(f, *all.back());
    }
    crowd users{all, path, count};
    users.line_up();
    f.run_until([&] { return users.served() == 1; });
    await_children(f, eyes, path, count);
    for (int i = 0; i < reconnects; ++i) {
        const auto before = proxy.stats().connections;
        proxy.cut_all();
        f.run_until([&] {
            return proxy.stats().connections >= before + sessions &&
                   std::ranges::all_of(
                       all, [](auto* s) { return s->state() == session_state::connected; });
        });
    }
    users.release_when_granted(1ms);
    f.run_until([&] { return users.all_done(); }, 100s);
    CHECK(users.served() == count);
    CHECK(users.failures() == 0);
    CHECK(users.book.violations() == journal::no_violations);
    // The C client holds no watch: there is none to send again, and none to go through at an event.
    CHECK(set_watches_packets(proxy) == 0);
    await_children(f, eyes, path, 0);
}

} // namespace

TEST_CASE("2000 waiters of two sessions in turn, each with a watch, are served after a reconnect") {
    serve_through_reconnects(2000, 2, 1);
}

TEST_CASE("2000 waiters of one session are served after a reconnect") {
    serve_through_reconnects(2000, 1, 1);
}

TEST_CASE("waiters are served after many reconnects, some in the middle of another's looks") {
    serve_through_reconnects(300, 3, 10);
}
