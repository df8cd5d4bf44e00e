// SPDX-License-Identifier: BSL-1.0
// A service that is no ZooKeeper behind a server's address: it costs an attempt, never a held lock,
// and never a moment of the event loop.
#include "integration/support/cancel_support.hpp"
#include "integration/support/fault_rig.hpp"
#include "integration/support/stall_watch.hpp"
#include "support/frame_proxy.hpp"
#include "support/stranger.hpp"

#include <random>

namespace {

// A turn of the event loop that took so long had something blocking in it.
constexpr auto longest_turn = 400ms;

std::string random_bytes(unsigned seed) {
    std::mt19937 random{seed};
    std::string bytes(200, '\0');
    for (auto& byte : bytes)
        byte = static_cast<char>(random());
    return bytes;
}

// As long as a server's answer to a handshake, and more when the client has believed it.
stranger late(const std::string& answer) {
    return {.answer = answer, .answers_from = 5, .tail = "more", .tail_after = 300ms};
}

struct acquaintance {
    const char* name;
    stranger who;
};

std::vector<acquaintance> strangers() {
    return {
        {"a web server", stranger::web_server()},
        {"one that greets",
         {.greeting = "220 mail.example.org ESMTP ready, what do you want of us today?\r\n",
          .answer = "500 what?\r\n"}},
        {"41 random bytes", late(random_bytes(1).substr(0, 41))},
        {"more random bytes", {.greeting = random_bytes(3), .tail = random_bytes(4)}},
        {"41 zeros", late(std::string(41, '\0'))},
        {"41 ones", late(std::string(41, '\1'))},
        {"an echo", {.echoes = true}},
        {"a read-only server", late(stranger::handshake(0x1234, 4000, true).answer)},
        {"a handshake without a session", stranger::handshake(0, 4000)},
        {"a handshake with a negative timeout", stranger::handshake(0x1234, -1)},
        {"silence", {}},
    };
}

} // namespace

TEST_CASE("a stranger behind an address costs an attempt, and no moment of the event loop") {
    for (const auto& [name, who] : strangers()) {
        INFO(name);
        frame_proxy odd{shared_server().port()};
        odd.replace_server(who);
        fixture f;
        stall_watch stalls{f.context};
        auto options = impatient(odd.address());
        options.connect_timeout = 1500ms;
        session alone{f.context, options};
        std::optional<error_code> result;
        alone.connect([&](const error_code& code) { result = code; });
        f.run_until([&] { return result.has_value(); }, 10s);
        CHECK(*result == error::connect_timeout);
        CHECK(odd.stats().connections > 0);

        // Beside a server that serves, whichever of them the session begins with.
        session both{f.context, impatient(odd.address() + ',' + shared_server().address())};
        contender user{both, fresh_path("stranger")};
        acquire_now(f, user);
        const auto longest = stalls.take_longest().late;
        CHECK(longest < longest_turn);
        std::printf("stall beside %s: %lld us\n", name, static_cast<long long>(longest / 1us));
    }
}

TEST_CASE("a holder that a stranger answers keeps its lock") {
    auto all = strangers();
    all.push_back({"another session's handshake", stranger::handshake(0x77, 4000)});
    for (const auto& [name, who] : all) {
        INFO(name);
        frame_proxy proxy{shared_server().port()};
        fixture f;
        session s{f.context, impatient(proxy.address())};
        contender user{s, fresh_path("stranger")};
        acquire_now(f, user);
        const auto id = s.id();
        const auto connections = proxy.stats().connections;
        proxy.replace_server(who);
        proxy.cut_all();
        f.run_until([&] { return proxy.stats().connections > connections; });
        f.run_until([&] { return s.state() == session_state::suspended; });
        proxy.replace_server(std::nullopt);
        f.run_until([&] { return s.state() == session_state::connected; });
        CHECK(s.id() == id);
        CHECK(user.lock.is_held());
    }
}

TEST_CASE("a granted timeout that cannot be is no success in what is told") {
    frame_proxy odd{shared_server().port()};
    odd.replace_server(stranger::handshake(0x1234, std::numeric_limits<std::int32_t>::max()));
    fixture f;
    auto options = impatient(odd.address());
    options.connect_timeout = 1s;
    session s{f.context, options};
    diagnostics told;
    CHECK(result_of(f, [&](auto t) { s.connect(with_diagnostics(told, std::move(t))); }) ==
          error::connect_timeout);
    CHECK(told.server == odd.address());
    CHECK_FALSE(told.cause.empty());
    CHECK(told.cause.find("Success") == std::string::npos);
}
