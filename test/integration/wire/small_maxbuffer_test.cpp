// SPDX-License-Identifier: BSL-1.0
// Servers that take small requests only.
#include "integration/support/cancel_support.hpp"
#include "integration/support/fault_rig.hpp"
#include "support/frame_proxy.hpp"
#include "support/pch.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <string>

using namespace turnstile;
using namespace turnstile::test;

TEST_CASE(
    "a session that waits by 300 tickets on long paths lives on with a small jute.maxbuffer") {
    constexpr std::size_t count = 300;
    const zookeeper_server server{{.system_properties = {"jute.maxbuffer=65536"}}};
    frame_proxy proxy{"127.0.0.1", server.port()};
    fixture f;
    session holds{f.context, options_for(server.address())};
    std::size_t queued = 0;
    auto options = options_for(proxy.address());
    options.observer = [&](const lock_event& what) {
        queued += what.what == lock_event::kind::queued ? 1 : 0;
    };
    session waits{f.context, options};
    std::deque<mutex> ours;
    std::deque<mutex> theirs;
    std::deque<probe> held(count);
    std::deque<probe> waiting(count);
    const std::string folder = "/locks/" + std::string(700, 'x');
    for (std::size_t i = 0; i < count; ++i) {
        const auto path = folder + std::to_string(i);
        ours.emplace_back(holds, path).acquire(held[i].make());
        f.run_until([&] { return held[i].done(); });
        theirs.emplace_back(waits, path).acquire(waiting[i].make());
    }
    f.run_until([&] { return queued == count; });
    settle(f, waits);
    const auto beats = [&] { return proxy.stats().count(direction::to_server, op::multi); };
    f.run_until([&, before = beats()] { return beats() >= before + 16; }); // two session timeouts
    CHECK(proxy.stats().connections == 1);
    for (auto& each : held)
        each.lock() = {};
    f.run_until([&] { return std::ranges::all_of(waiting, &probe::done); });
    CHECK(std::ranges::all_of(waiting, [](auto& each) { return each.lock().is_held(); }));
    CHECK(proxy.stats().connections == 1);
}
