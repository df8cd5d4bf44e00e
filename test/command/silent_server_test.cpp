// SPDX-License-Identifier: BSL-1.0
// A server that falls silent: each time limit of the user's holds, and a second signal is heard.
#include "command/support/fed_tool.hpp"
#include "support/pch.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iostream>
#include <string>
#include <vector>

using namespace turnstile::test;
using namespace std::chrono_literals;

namespace {

using clock_type = std::chrono::steady_clock;

/// On a busy machine. It was 35 s.
constexpr auto most_more = 15s;

enum class silence { from_the_start, later };

/// A server that stands still in the end.
struct falling_silent {
    zookeeper_server server{{.max_session_timeout_ms = 40'000}};
    const std::string path = "/locks/silent";
};

/// Each verb with a time limit, and by how much it goes on after that.
void check_verbs(silence when, clock_type::duration allowed) {
    falling_silent f;
    tool holder{run_script(f.path, "echo pid $$; exec sleep 1000"),
                {.servers = f.server.address()}};
    (void)holder.number_after("pid ");
    if (when == silence::from_the_start)
        f.server.pause();
    const auto begun = clock_type::now();
    tool yield{{"yield", "--wait", "2s", f.path}, {.servers = f.server.address()}};
    tool run{run_script(f.path, "exit 0", {"--wait", "2s"}), {.servers = f.server.address()}};
    tool elect{{"elect", "--wait", "2s", f.path, "--", "true"}, {.servers = f.server.address()}};
    fed_tool hold{{"hold", "--wait", "2s", f.path}, {.servers = f.server.address()}};
    tool drill{{"drill", "--for", "2s", f.path + "-drill"}, {.servers = f.server.address()}};
    tool show{{"show", "--connect-timeout", "2s", f.path}, {.servers = f.server.address()}};
    tool list{{"ls", "--connect-timeout", "2s"}, {.servers = f.server.address()}};
    tool leader{{"leader", "--connect-timeout", "2s", f.path}, {.servers = f.server.address()}};
    tool limit{{"limit", "--connect-timeout", "2s", f.path + "-semaphore", "3"},
               {.servers = f.server.address()}};
    tool evict{{"break", "--yes", "--connect-timeout", "2s", f.path + "-free"},
               {.servers = f.server.address()}};
    tool doctor{{"doctor", "--connect-timeout", "2s"}, {.servers = f.server.address()}};
    if (when == silence::later) {
        await([&] { return drill.output().find("holds") != std::string::npos; });
        f.server.pause();
    }
    const auto end_of = [&](const char* verb, tool& which, const std::vector<int>& codes) {
        const int code = which.exit_code();
        CAPTURE(code, which.said());
        CHECK(std::ranges::find(codes, code) != codes.end());
        const auto outlasts = clock_type::now() - begun - 2s;
        CHECK(outlasts < allowed);
        std::cout << "silence: {\"server\": \"stopped "
                  << (when == silence::later ? "later" : "before") << "\", \"case\": \"turnstile "
                  << verb << "\", \"outlasts_ms\": " << outlasts / 1ms << "}\n";
    };
    end_of("yield", yield, {121});
    end_of("run", run, {121, 122});
    end_of("elect", elect, {121, 122});
    end_of("hold", *hold.operator->(), {121, 122});
    end_of("show", show, {0, 121});
    end_of("ls", list, {0, 121});
    end_of("leader", leader, {0, 121});
    end_of("limit", limit, {0, 121});
    end_of("break", evict, {121, 122});
    end_of("doctor", doctor, {0, 1, 2});
    if (when == silence::later)
        end_of("drill", drill, {0, 1, 123});
    else
        drill.end();
    holder.process().signal(SIGKILL);
}

} // namespace

TEST_CASE("each verb with a time limit ends in time where its server falls silent") {
    check_verbs(GENERATE(silence::from_the_start, silence::later), most_more);
}

TEST_CASE("figures: by how much each verb outlasts its limit", "[.][figures]") {
    check_verbs(GENERATE(silence::from_the_start, silence::later), 5s);
}

TEST_CASE("a verb that only asks leaves a silent server the sooner, the shorter its limit is") {
    tool list{{"ls", "--verbose", "--connect-timeout", "2s"}};
    CHECK(list.exit_code() == 0);
    CHECK(list.says("connected, session timeout 2000 ms"));
    tool chosen{{"ls", "--verbose", "--connect-timeout", "2s", "--timeout", "3s"}};
    CHECK(chosen.exit_code() == 0);
    CHECK(chosen.says("connected, session timeout 3000 ms"));
}

TEST_CASE("a signal ends the wait for a release that a silent server does not answer") {
    falling_silent f;
    tool one{run_script(f.path, "echo pid $$; exec sleep 1000"), {.servers = f.server.address()}};
    const auto program = one.number_after("pid ");
    f.server.pause();
    const auto begun = clock_type::now();
    one.process().signal(SIGTERM);
    await([&] { return !is_alive(program); });
    await([&] { // the one that comes before the release is begun ends nothing
        one.process().signal(SIGTERM);
        return !one.process().running();
    });
    CHECK(clock_type::now() - begun < 3s); // it tries for 4 s otherwise
    CHECK(one.exit_code() == 128 + SIGTERM);
    CHECK(one.says("no server takes the release of " + f.path));
}
