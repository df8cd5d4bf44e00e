// SPDX-License-Identifier: BSL-1.0
// turnstile run --once-per: a job that does not run twice in a time.
#include "command/support/tool.hpp"
#include "support/ensemble.hpp"
#include "support/foreign_client.hpp"
#include "support/frame_proxy.hpp"
#include "support/pch.hpp"
#include "support/server_settings.hpp"

#include <csignal>
#include <cstdint>

using namespace turnstile::test;

namespace {

std::string mark_of(foreign_client& client, const std::string& path) {
    std::string data;
    CHECK(client.get(path + "%once", &data) == 0);
    return data;
}

/// As if the command had been started so long before.
void age_mark(foreign_client& client, const std::string& path, std::chrono::milliseconds by) {
    const auto time = std::stoll(mark_of(client, path)) - by.count();
    REQUIRE(client.set(path + "%once", std::to_string(time)) == 0);
}

} // namespace

TEST_CASE("a job runs once in the time of --once-per, less a sixteenth, whatever it ends with") {
    using namespace std::chrono_literals;
    foreign_client client{shared_server().address()};
    const auto path = fresh_path("once");
    const auto job = run_script(path, "echo ran; exit 3", {"--once-per", "16h"});
    tool first{job};
    CHECK(first.exit_code() == 3);
    tool again{job};
    CHECK(again.exit_code() == 0);
    CHECK(again.output().empty());
    CHECK(again.says("not run: the command of " + path + " was started "));
    CHECK(again.says("once per 16h"));
    tool quiet{run_script(path, "echo ran", {"--once-per", "16h", "--quiet"})};
    CHECK(quiet.exit_code() == 0);
    CHECK(quiet.said().empty());
    age_mark(client, path, 14h + 59min);
    tool early{job};
    CHECK(early.exit_code() == 0);
    age_mark(client, path, 1min);
    tool later{job};
    CHECK(later.exit_code() == 3);
    tool soon{job};
    CHECK(soon.exit_code() == 0);
    CHECK(tickets(path).empty());
}

TEST_CASE("a job whose turnstile was killed is not run by the next in line") {
    const auto path = fresh_path("once");
    const auto job = run_script(path, "echo pid $$; exec sleep 1000", {"--once-per", "1d"});
    tool first{job};
    first.number_after("pid ");
    tool next{job};
    await([&] { return tickets(path).size() == 2; });
    first.process().kill_and_wait();
    CHECK(next.exit_code() == 0);
    CHECK(next.output().empty());
    CHECK(next.says("not run"));
}

TEST_CASE("a mark that was begun and not set, or is no time, does not count as a run") {
    foreign_client client{shared_server().address()};
    const auto path = fresh_path("once");
    client.create("/locks");
    REQUIRE(client.create(path + "%once") == 0);
    const auto job = run_script(path, "echo ran", {"--once-per", "1d"});
    tool first{job};
    CHECK(first.exit_code() == 0);
    CHECK(first.output() == "ran\n");
    CHECK(std::stoll(mark_of(client, path)) > 1'700'000'000'000);
    REQUIRE(client.set(path + "%once", "4 o'clock") == 0);
    tool refused{job};
    CHECK(refused.exit_code() == 124);
    CHECK(refused.says(path + "%once has other data than a time of --once-per"));
    CHECK(refused.output().empty());
}

TEST_CASE("a write of the mark without an answer is looked for, and the job runs once") {
    foreign_client client{shared_server().address()};
    frame_proxy proxy{shared_server().port()};
    const auto what = GENERATE(action::cut_before, action::cut_after);
    for (const auto write : {op::create, op::set_data}) { // to learn the time, and to set the mark
        const auto path = fresh_path("once");
        const auto job = run_script(path, "echo ran", {"--once-per", "1d"});
        const auto rule = proxy.add_rule(
            {.op = op::multi, .part = op::check, .last_part = write, .action = what});
        tool one{job, {.servers = proxy.address()}};
        CHECK(one.exit_code() == 0);
        CHECK(one.output() == "ran\n");
        CHECK(proxy.hits(rule) == 1);
        tool again{job};
        CHECK(again.exit_code() == 0);
        CHECK(again.output().empty());
    }
}

TEST_CASE("a mark from the future does not count, and that is told") {
    using namespace std::chrono_literals;
    foreign_client client{shared_server().address()};
    const auto path = fresh_path("once");
    const std::string period = GENERATE("1d", "week");
    const auto job = run_script(path, "echo ran", {"--once-per", period, "--quiet"});
    tool first{job};
    CHECK(first.exit_code() == 0);
    age_mark(client, path, -2h); // as of a server whose clock was fast
    tool again{job};
    CHECK(again.exit_code() == 0);
    CHECK(again.output() == "ran\n");
    CHECK(again.says(path + "%once is 1 h 59 min"));
    CHECK(again.says(" ahead of the servers' clock: it does not count"));
    age_mark(client, path, -30s); // clocks differ
    tool soon{job};
    CHECK(soon.exit_code() == 0);
    CHECK(soon.output().empty());
}

// With marks the clock of the leader counts: a change of leader may make a mark too old or too new.
TEST_CASE("a mark of a leader whose clock is ahead does not count under the next, and is told") {
    ensemble::options how{.size = 3};
    use_settings(how, server_settings::clocks_apart, "");
    ensemble servers{how}; // member n is 2n hours ahead
    const auto before = servers.leader();
    const auto path = fresh_path("once");
    const auto job = run_script(path, "echo ran", {"--once-per", "16h", "--connect-timeout", "1m"});
    tool first{job, {.servers = servers.connect_string()}};
    REQUIRE(first.exit_code() == 0);
    servers.kill(before);
    servers.start(before);
    servers.wait_until_serving();
    const auto after = servers.leader();
    CAPTURE(before, after);
    tool again{job, {.servers = servers.connect_string()}};
    CHECK(again.exit_code() == 0);
    const bool is_behind = after < before;
    CHECK(again.says("ahead of the servers' clock: it does not count") == is_behind);
    CHECK(again.output() == (is_behind ? "ran\n" : ""));
}

TEST_CASE("a job runs once in a day of the calendar, in the time zone that is stated") {
    using namespace std::chrono_literals;
    foreign_client client{shared_server().address()};
    const auto hour = std::chrono::duration_cast<std::chrono::hours>(
                          std::chrono::system_clock::now().time_since_epoch())
                          .count() %
                      24;
    // Where the day has just begun, and where it is noon.
    const auto zone_at = [&](std::int64_t wanted) {
        const auto east = (wanted - hour + 24 + 11) % 24 - 11;
        return "Etc/GMT" + std::string(east > 0 ? "-" : "+") + std::to_string(std::abs(east));
    };
    const bool by_option = GENERATE(true, false);
    const bool is_new_day = GENERATE(true, false);
    const auto zone = zone_at(is_new_day ? 0 : 12);
    const auto path = fresh_path("once");
    std::vector<std::string> options{"--once-per", "day"};
    if (by_option)
        options.insert(options.end(), {"--zone", zone});
    tool::options how;
    if (!by_option)
        how.before = {"/usr/bin/env", "TZ=" + zone};
    const auto job = run_script(path, "echo ran in ${TZ-no zone}", options);
    tool first{job, how};
    CHECK(first.exit_code() == 0);
    CHECK(first.output() == "ran in " + (by_option ? "no zone" : zone) + '\n');
    tool again{job, how};
    CHECK(again.exit_code() == 0);
    CHECK(again.output().empty());
    CHECK(again.says("once per day"));
    age_mark(client, path, 2h);
    tool later{job, how};
    CHECK(later.exit_code() == 0);
    CHECK(later.output().empty() != is_new_day);
    age_mark(client, path, 24h);
    tool tomorrow{job, how};
    CHECK(tomorrow.exit_code() == 0);
    CHECK_FALSE(tomorrow.output().empty());
}

TEST_CASE("a time zone that is not there, or without --once-per, is refused") {
    const auto path = fresh_path("once");
    tool wrong{run_script(path, "true", {"--once-per", "day", "--zone", "Europe/Berln"})};
    CHECK(wrong.exit_code() == 120);
    CHECK(wrong.says("'Europe/Berln' is no time zone of this host"));
    tool list{run_script(path, "true", {"--once-per", "day", "--zone", "zone.tab"})};
    CHECK(list.exit_code() == 120); // a file of that folder, and no zone
    tool alone{run_script(path, "true", {"--zone", "UTC"})};
    CHECK(alone.exit_code() == 120);
    CHECK(alone.says("--once-per"));
    tool month{run_script(path, "true", {"--once-per", "month"})};
    CHECK(month.exit_code() == 120);
    CHECK(month.says("'month' is no duration"));
}

TEST_CASE("the option --once-per is for exclusive locks alone") {
    for (const std::vector<std::string>& more :
         {std::vector<std::string>{"--shared"}, {"--permits", "1"}}) {
        auto options = more;
        options.insert(options.end(), {"--once-per", "1d"});
        tool one{run_script(fresh_path("once"), "true", options)};
        CHECK(one.exit_code() == 120);
        CHECK(one.says(more[0] + " excludes --once-per"));
    }
}

TEST_CASE("a loss while the mark is set runs the line of --on-lost, and not the job") {
    const bool deleted = GENERATE(true, false); // or the server falls silent
    frame_proxy proxy{shared_server().port()};
    const auto path = fresh_path("once");
    const auto rule = proxy.add_rule(
        {.op = op::multi, .part = op::check, .last_part = op::create, .action = action::hold});
    tool one{run_script(path, "echo ran",
                        {"--once-per", "1d", "--timeout", "2s", "--on-lost",
                         "echo \"lost $TURNSTILE_LOCK: $TURNSTILE_REASON\""}),
             {.servers = proxy.address()}};
    REQUIRE(proxy.wait_until_hit(rule));
    if (deleted) {
        delete_tickets(path);
        proxy.release_held();
    } else {
        proxy.set_black_hole(true);
    }
    CHECK(one.exit_code() == 123);
    CHECK(one.output().starts_with("lost " + path + ": the "));
    CHECK(one.output().find("ran") == std::string::npos);
    CHECK(one.says("the lock " + path + " was lost before the command was started"));
}
