// SPDX-License-Identifier: BSL-1.0
// Three servers as one ensemble, one of which refuses every session.
#include "integration/support/sasl_support.hpp"
#include "support/ensemble.hpp"
#include "support/pump.hpp"

namespace {

constexpr std::size_t refusing = 2;
constexpr std::size_t held_locks = 24;

// The new password reaches one server after the other. The folders are of one server each.
std::optional<ensemble> by_password(const std::vector<std::unique_ptr<temp_folder>>& folders) {
    ensemble::options how;
    how.each = [&](std::size_t which, std::size_t, zookeeper_server_options& server) {
        server.max_session_timeout_ms = 40'000;
        know_users(server, folders.at(which)->path(),
                   which == refusing ? "user_alice=\"another\"" : "user_alice=\"wonder\"");
    };
    return std::optional<ensemble>(std::in_place, how);
}

std::optional<ensemble> by_certificate() {
    shared_certificates().issue({.name = "untrusted", .authority = "other"});
    ensemble::options how;
    how.each = [](std::size_t which, std::size_t, zookeeper_server_options& server) {
        server.max_session_timeout_ms = 40'000;
        make_secure(server, shared_certificates(), "none",
                    which == refusing ? "untrusted" : "server");
    };
    return std::optional<ensemble>(std::in_place, how);
}

struct three_servers {
    three_servers(bool tls) {
        for (int i = 0; i < 3; ++i)
            folders.push_back(std::make_unique<temp_folder>("turnstile-jaas-"));
        servers = tls ? by_certificate() : by_password(folders);
        std::string list;
        for (std::size_t i = 0; i < 3; ++i) {
            const auto& each = servers->server(i);
            list += (i == 0 ? "" : ",") + (tls ? each.secure_address() : each.address());
        }
        options = impatient(list);
        options.timeout = 15s;
        if (tls)
            options.tls = trusting();
        else
            options.sasl = sasl_alice();
    }

    std::vector<std::unique_ptr<temp_folder>> folders;
    std::optional<ensemble> servers;
    session_options options;
};

} // namespace

TEST_CASE("one of three servers refuses SASL, or has a wrong certificate: the others serve all") {
    fixture f;
    three_servers all(GENERATE(false, true));
    std::vector<std::unique_ptr<session>> sessions;
    std::vector<std::unique_ptr<mutex>> locks;
    std::vector<probe> connected(100);
    for (auto& each : connected) {
        sessions.push_back(std::make_unique<session>(f.context, all.options));
        sessions.back()->connect(each.make());
    }
    f.run_until([&] { return std::ranges::all_of(connected, &probe::done); });
    CHECK(std::ranges::count(connected, error_code{}, &probe::code) == 100);

    std::vector<held_lock> held;
    for (std::size_t i = 0; i < held_locks; ++i) {
        locks.push_back(std::make_unique<mutex>(*sessions[i], fresh_path("refusing")));
        held.push_back(acquire_now(f, *locks.back()));
    }
    mutex taken{*sessions[50], locks.front()->path()};
    probe waiting;
    taken.acquire(waiting.make());
    for (const std::size_t stopped : {0U, 1U}) {
        auto& server = all.servers->server(stopped);
        all.servers->kill(stopped);
        for (std::size_t i = 0; i < held_locks; ++i)
            settle(f, *sessions[i]);
        all.servers->start(stopped); // the leases are renewed meanwhile
        f.run_until(now_and_then([&] { return !server.mode(100ms).empty(); }));
    }
    CHECK(std::ranges::count_if(held, &held_lock::is_held) == held_locks);
    CHECK_FALSE(waiting.done());
    release_now(f, held.front());
    CHECK(end_of(f, waiting) == error_code{});
}

TEST_CASE("a leader that all servers refuse for a while is told so, and leads again") {
    fixture f;
    const temp_folder folder{"turnstile-jaas-"};
    zookeeper_server_options how;
    know_users(how, folder.path(), "user_alice=\"wonder\"");
    zookeeper_server server{how};
    const auto restart_with = [&](const std::string& users) {
        zookeeper_server_options unused;
        know_users(unused, folder.path(), users);
        server.stop();
        server.start();
    };
    auto options = sasl_session(sasl_alice(), server.address());
    options.timeout = 2s;
    session s{f.context, options};
    mutex lock{s, fresh_path("refused-leader")};
    int led = 0;
    bool is_told = false;
    exclusive_options turns;
    turns.on_error = [&](const std::exception_ptr& thrown) {
        try {
            std::rethrow_exception(thrown);
        } catch (const boost::system::system_error& e) {
            is_told = is_told || e.code() == error::auth_failed;
        }
    };
    turns.shortest_backoff = turns.longest_backoff = 20ms;
    f.spawn([&]() -> boost::asio::awaitable<void> {
        co_await run_exclusively(
            lock,
            [&]() -> boost::asio::awaitable<void> {
                boost::asio::steady_timer forever{f.context, std::chrono::hours{1}};
                if (++led == 1)
                    co_await forever.async_wait(boost::asio::use_awaitable);
            },
            turns);
    });
    f.run_until([&] { return led == 1; });
    restart_with("user_alice=\"another\"");
    f.run_until([&] { return is_told; });
    restart_with("user_alice=\"wonder\"");
    f.run_spawned();
    CHECK(led == 2);
}
