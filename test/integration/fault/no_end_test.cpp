// SPDX-License-Identifier: BSL-1.0
// Servers that are there, and let nothing come of what is asked: no try is endless for that.
#include "integration/support/fault_rig.hpp"
#include "integration/support/log_record.hpp"
#include "support/ensemble.hpp"
#include "support/frame_proxy.hpp"
#include "support/handshake.hpp"
#include "support/pch.hpp"

TEST_CASE("a lock can be acquired anew where servers do not restore a session") {
    frame_proxy proxy{shared_server().port()};
    fixture f;
    log_record record;
    auto options = impatient(proxy.address());
    options.log = {.level = log_level::info, .sink = record.sink()};
    options.unreachable_limit = 1min;
    session s{f.context, options};
    contender user{s, fresh_path("no-end")};
    acquire_now(f, user);
    const auto id = s.id();
    static_cast<void>(proxy.add_rule({.op = op::connect,
                                      .times = 0,
                                      .action = action::wrong_bytes,
                                      .rewritten = as_a_new_session}));
    proxy.cut_all();
    f.run_until([&] { return !user.lock.is_held(); });
    user.acquire();
    f.run_until([&] { return user.grants == 2; });
    CHECK(s.id() != id);
    CHECK(record.mentions("it made another session instead of restoring this one"));
}

TEST_CASE("servers that make local sessions only are named as such") {
    ensemble servers{{.server = {.config_lines = {"localSessionsEnabled=true"}}}};
    const auto leads = servers.leader();
    for (const bool at_leader : {true, false}) {
        CAPTURE(at_leader);
        const auto which = at_leader ? leads : (leads + 1) % servers.size();
        fixture f;
        session s{f.context, impatient(servers.server(which).address())};
        mutex lock{s, "/locks/local"};
        for (const bool patient : {true, false}) {
            CAPTURE(patient);
            diagnostics told;
            std::optional<error_code> result;
            const auto done = [&](error_code why, const held_lock&) { result = why; };
            if (patient)
                lock.acquire(with_diagnostics(told, done));
            else
                lock.try_acquire(with_diagnostics(told, done));
            f.run_until([&] { return result.has_value(); });
            CAPTURE(result->message(), told.str());
            CHECK((result->message() + told.cause).find("localSessionsUpgradingEnabled") !=
                  std::string::npos);
        }
        std::optional<error_code> result; // what is asked anew by itself ends, too
        s.check_access("/locks/local", [&](error_code why, const path_access&) { result = why; });
        f.run_until([&] { return result.has_value(); });
        CAPTURE(result->message());
        CHECK((at_leader || result == error::unreachable));
    }
}

TEST_CASE("a request that is too large for the servers fails, and the session goes on") {
    zookeeper_server server{{.system_properties = {"jute.maxbuffer=4096"}}};
    fixture f;
    auto options = impatient(server.address());
    options.label = std::string(5000, 'l');
    session s{f.context, options};
    const auto fails = [&](auto start) {
        error_code result;
        start([&](error_code why, const held_lock&) { result = why; });
        f.run_until([&] { return result.failed(); });
        CHECK(result == error::request_too_large);
        CHECK_THAT(result.message(), Catch::Matchers::Contains("jute.maxbuffer"));
    };
    SECTION("a label") {
        mutex lock{s, "/locks/large"};
        fails([&](auto done) { lock.acquire(std::move(done)); });
        CHECK(s.usage().connections_lost == 3);
        fails([&](auto done) { lock.acquire(std::move(done)); });
        CHECK(s.usage().connections_lost == 3); // it is known
    }
    SECTION("many permits at once") {
        options.label.clear();
        session other{f.context, options};
        semaphore many{other, "/locks/leases", 100};
        fails([&](auto done) { many.permits(100).acquire(std::move(done)); });
        std::optional<error_code> result;
        many.permits(2).acquire([&](error_code why, const held_lock&) { result = why; });
        f.run_until([&] { return result.has_value(); });
        CHECK(*result == error_code{});
    }
}
