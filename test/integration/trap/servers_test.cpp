// SPDX-License-Identifier: BSL-1.0
// Two traps of the C client. With an even number of addresses it never reaches some of them, and
// dead ones can make it spin: a session must find the live one, at a bounded rate. And it resolves
// names in the event loop: Turnstile looks a name up in a thread, and starts none for a numeric
// address.
#include "integration/support/fault_rig.hpp"
#include "integration/support/name_service.hpp"
#include "support/frame_proxy.hpp"
#include "support/free_port.hpp"
#include "support/pch.hpp"

namespace {

std::string dead_address() { return "127.0.0.1:" + std::to_string(free_port()); }

// Each session draws the server at which it begins. Of so many some surely begin at each server.
constexpr int enough_sessions = 8;

void check_that_all_connect(const std::string& servers) {
    for (int i = 0; i < enough_sessions; ++i) {
        fixture f;
        session s{f.context, impatient(servers)};
        connect(f, s);
        contender user{s, fresh_path("servers")};
        acquire_now(f, user);
    }
}

int threads_of_this_process() {
    std::ifstream status{"/proc/self/status"};
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("Threads:"))
            return std::stoi(line.substr(8));
    return 0;
}

} // namespace

TEST_CASE("of four addresses the only live one is found, wherever it stands") {
    for (int place = 0; place < 4; ++place) {
        std::string servers;
        for (int i = 0; i < 4; ++i)
            servers +=
                (i == 0 ? "" : ",") + (i == place ? shared_server().address() : dead_address());
        check_that_all_connect(servers);
    }
}

TEST_CASE("localhost, which may mean two addresses, is connected to") {
    check_that_all_connect("localhost:" + std::to_string(shared_server().port()));
}

TEST_CASE("a server that accepts a session and hangs up at once is tried at a bounded rate") {
    frame_proxy proxy{shared_server().port()};
    fixture f;
    auto options = options_for(proxy.address());
    options.shortest_backoff = 50ms;
    options.longest_backoff = 200ms;
    session s{f.context, options};
    connect(f, s);
    const auto rule = proxy.add_rule({.direction = direction::to_client,
                                      .op = op::connect,
                                      .times = 0,
                                      .action = action::cut_after});
    const auto begin = std::chrono::steady_clock::now();
    proxy.cut_all();
    f.run_until([&] { return proxy.hits(rule) >= 10; });
    CHECK(std::chrono::steady_clock::now() - begin >=
          700ms); // nine pauses; most are 100 ms at least
    proxy.clear_rules();
    contender user{s, fresh_path("servers")};
    acquire_now(f, user);
}

TEST_CASE("numeric addresses start no thread, a name has one while it is looked up") {
    zookeeper_server server;
    std::thread{[] {}}.join(); // a sanitizer starts a thread of its own beside the first
    const int before = threads_of_this_process();
    auto& names = name_service::of_process();
    static_cast<void>(names.take());
    {
        fixture f;
        session s{f.context, impatient(server.address())};
        contender holder{s, "/locks/threads"};
        contender waiter{s, "/locks/threads"};
        holder.acquire();
        waiter.acquire();
        f.run_until([&] { return holder.holds(); });
        CHECK(threads_of_this_process() == before);
        server.kill();
        f.run_until([&] { return s.state() == session_state::suspended; });
        server.start();
        holder.release();
        f.run_until([&] { return waiter.holds() && holder.release_result; });
        CHECK(threads_of_this_process() == before);
    }
    for (const auto& each : names.take()) // and no thread that has ended looked a name up
        CHECK(each.where == std::this_thread::get_id());
    const std::string name = "thread.turnstile.test";
    names.set(name, "127.0.0.1");
    names.hold(name, true);
    fixture f;
    session s{f.context, impatient(name + ':' + std::to_string(server.port()))};
    s.connect([](const error_code&) {});
    f.run_until([&] { return names.is_asked(name); });
    CHECK(threads_of_this_process() == before + 1);
    names.hold(name, false);
    connect(f, s);
    f.run_until([&] { return threads_of_this_process() == before; });
}
