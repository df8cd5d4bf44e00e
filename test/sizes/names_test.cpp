// SPDX-License-Identifier: BSL-1.0
// Names that are used once: their empty lock paths have to go as fast as names come.
#include "figures.hpp"
#include "name_mill.hpp"
#include "stopwatch.hpp"

#include "support/pch.hpp"
#include "support/server_counters.hpp"

namespace {

struct names_rig {
    explicit names_rig(const name_mill::plan& what)
        : mill(f, {sessions[0].get(), sessions[1].get(), sessions[2].get()}, what) {
        for (const auto& each : sessions)
            connect(f, *each);
        base = nodes();
    }

    static session_options patient(const std::string& servers) { return impatient(servers, 30s); }
    double nodes() const { return server_counters::read(server.port()).at("zk_znode_count"); }
    /// Of the names, their parent apart.
    double left() const { return nodes() - base - 1; }
    double alive() const { return static_cast<double>(mill.alive()); }
    void wait(std::chrono::seconds span) {
        const stopwatch since;
        f.run_until([&] { return since.ms() >= span / 1ms; }, span + 10s);
    }

    zookeeper_server server{{.max_session_timeout_ms = 40'000, .heap = "1g", .quick_jvm = false}};
    fixture f;
    std::array<std::unique_ptr<session>, 3> sessions{
        std::make_unique<session>(f.context, patient(server.address())),
        std::make_unique<session>(f.context, patient(server.address())),
        std::make_unique<session>(f.context, patient(server.address()))};
    double base = 0;
    name_mill mill;
};

} // namespace

TEST_CASE("paths of names that were used once go while others are made, and beyond 4096 soon") {
    names_rig r({.names = 15'000, .held = 100, .in_flight = 100});
    double most = 0;
    const stopwatch since;
    r.mill.start();
    r.f.run_until([&] { return r.mill.done(); }, 60s);
    const auto took = since.ms();
    most = r.left();
    INFO("took " << took << " ms, left then: " << most);
    // Each session keeps up to 4096 paths for longer, in case that they are used again.
    r.f.run_until([&] { return r.left() <= 3 * 4096 + r.alive(); }, 20s);
    CHECK(r.mill.failures == 0);
    CHECK(r.mill.overlaps == 0);
}

TEST_CASE("a million names", "[.][soak]") {
    names_rig r({.names = 1'000'000, .held = 5000, .in_flight = 200});
    const stopwatch since;
    r.mill.start();
    double most = 0;
    for (auto next = 5s; !r.mill.done(); next += 5s) {
        r.f.run_until([&] { return r.mill.done() || since.ms() >= next / 1ms; }, 30s);
        most = std::max(most, r.left());
        UNSCOPED_INFO(since.ms() << " ms: begun " << r.mill.begun() << ", left " << r.left());
    }
    const auto took = since.ms();
    const auto right_after = r.left();
    r.wait(60s);
    const auto later = r.left();
    tell_figures("names", {{"names", 1e6},
                           {"seconds", static_cast<double>(took) / 1000},
                           {"revisits", r.mill.revisits()},
                           {"alive", r.alive()},
                           {"left_most", most},
                           {"left_at_end", right_after},
                           {"left_a_minute_later", later},
                           {"ratio", later / r.alive()},
                           {"overlaps", r.mill.overlaps},
                           {"failures", r.mill.failures}});
    CHECK(later <= 1.1 * r.alive());
    CHECK(r.mill.revisits() > 10'000);
    CHECK(r.mill.failures == 0);
    CHECK(r.mill.overlaps == 0);
}
