// SPDX-License-Identifier: BSL-1.0
#include "commands.hpp"

#include "command_failure.hpp"
#include "doctor/guard_finding.hpp"
#include "doctor/server_findings.hpp"
#include "program/processes.hpp"
#include "text/line_text.hpp"
#include "text/output.hpp"
#include "text/printable.hpp"
#include "text/text_table.hpp"

#include <turnstile/options.hpp>
#include <turnstile/run_with_session.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <nlohmann/json.hpp>

#include <CLI/App.hpp>

#include <fmt/core.h>

#include <sys/stat.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <iterator>
#include <utility>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

constexpr std::array shown_words{"ok", "note", "unknown", "WARNING", "ERROR"};
constexpr std::array json_words{"ok", "note", "unknown", "warning", "error"};
constexpr std::chrono::milliseconds usual_look{1'200};

std::chrono::nanoseconds now_of(clockid_t which) {
    timespec now{};
    ::clock_gettime(which, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

struct two_clocks {
    std::chrono::nanoseconds leases{};
    std::chrono::nanoseconds raw{};
};

/// Reads both clocks at one moment. It tries again if another thread has run in between.
two_clocks read_clocks() {
    two_clocks result;
    for (int tries = 0; tries < 100; ++tries) {
        const auto before = now_of(CLOCK_MONOTONIC_RAW);
        result = {.leases = now_of(CLOCK_BOOTTIME), .raw = now_of(CLOCK_MONOTONIC_RAW)};
        if (result.raw - before < std::chrono::microseconds(100))
            break;
    }
    return result;
}

/// Compares the clock of deadlines with the machine's raw clock, which is never adjusted.
class clock_check {
public:
    finding result() const {
        const auto now = read_clocks();
        const auto leases = now.leases - begun_.leases;
        const auto raw = now.raw - begun_.raw;
        const auto difference = leases > raw ? leases - raw : raw - leases;
        // NTP changes the rate by 500 millionths at most.
        if (difference > raw / 50 + std::chrono::milliseconds(5))
            return {severity::warning, "clock", "",
                    "this machine's clock runs at another rate than its hardware",
                    "Stop what adjusts the clock. A lease is measured by CLOCK_BOOTTIME."};
        return {severity::ok, "clock", "",
                "this machine's clock runs evenly; how the servers' clocks run cannot be seen", ""};
    }

private:
    two_clocks begun_ = read_clocks();
};

/// With TLS it waits as long as other commands do: a server that has just started takes seconds for
/// its first handshakes.
std::chrono::milliseconds time_to_look(const connection_options& how) {
    const bool waits = how.connect_timeout == usual_look && how.tls.chosen();
    return waits ? connection_options().connect_timeout : how.connect_timeout;
}

/// Looks at all servers at the same time.
std::vector<server_facts> facts_of(const server_addresses& servers, const doctor_options& how) {
    asio::io_context context(1);
    const auto limit = time_to_look(how.connection);
    std::vector<server_facts> all(servers.all.size());
    std::exception_ptr failure;
    for (std::size_t i = 0; i < all.size(); ++i)
        asio::co_spawn(context,
                       look_at(servers.all[i], servers.chroot, how.connection, how.path, limit),
                       [&, i](std::exception_ptr thrown, server_facts found) {
                           if (thrown)
                               failure = thrown;
                           all[i] = std::move(found);
                       });
    context.run();
    if (failure)
        std::rethrow_exception(failure);
    return all;
}

bool is_well(const server_facts& one) { return !one.no_session; }

/// Findings about the path, by the first server that showed it: all of an ensemble say the same.
findings findings_of_path(const std::vector<server_facts>& all, const std::string& path) {
    const auto told =
        std::ranges::find_if(all, [](const auto& one) { return one.access.has_value(); });
    if (told == all.end())
        return {
            {severity::unknown, "rights", "", "what you may do at the path cannot be seen", ""}};
    auto result = findings_of_access(path, *told->access, "");
    if (told->access->exists && told->parent && told->parent->create == path_access::right::denied)
        result.push_back(
            {severity::note, "rights", "",
             fmt::format("CREATE is denied at {}, so nothing can be made beside a lock at {}: "
                         "requests to yield, values that a leader proclaims, marks of --once-per",
                         printable(told->parent->node), printable(path)),
             ""});
    return result;
}

/// Findings about the file with identities: another user who can read it can do what we can.
findings findings_of_file(const std::string& file) {
    struct stat found {};
    if (file.empty() || ::stat(file.c_str(), &found) != 0 || (found.st_mode & S_IROTH) == 0)
        return {};
    return {{severity::note, "identities", "",
             fmt::format("everybody on this machine can read {}", printable(file)),
             "Keep it to yourself: chmod 600"}};
}

/// Findings about this host: what `turnstile run` needs of it.
finding finding_of_proc() {
    const auto wrong = wrong_with_proc();
    if (wrong.empty())
        return {severity::ok, "proc", "", "`turnstile run` can see what its command starts", ""};
    return {severity::error, "proc", "", wrong + ", so `turnstile run` refuses to run a command",
            "Mount a /proc of this pid namespace (unshare --mount-proc, say)."};
}

findings all_findings(const std::vector<server_facts>& all, const doctor_options& how,
                      const clock_check& clock) {
    findings result;
    const auto append = [&](findings more) { std::ranges::move(more, std::back_inserter(result)); };
    const auto session = how.connection.for_session();
    const wanted_session wanted{.timeout = session.timeout,
                                .tick = how.connection.tick,
                                .chroot = addresses_of(how.connection.servers).chroot,
                                .tls = session.tls.has_value(),
                                .sasl = session.sasl.has_value()};
    const auto well = std::ranges::count_if(all, is_well);
    for (const auto& each : all)
        append(findings_of(each, wanted, well == 0));
    append(findings_of_all(all));
    append(findings_of_path(all, how.path));
    append(findings_of_file(how.connection.auth_file));
    const auto& tls = how.connection.tls; // a certificate's file may have its key, too
    append(findings_of_file(tls.key.empty() ? tls.certificate : tls.key));
    append(findings_of_guard(how.connection));
    append(findings_of_file(how.connection.sasl.keytab));
    result.push_back(finding_of_proc());
    result.push_back(clock.result());
    result.push_back({severity::unknown, "jute.maxbuffer", "",
                      "the longest request that the servers take cannot be seen: 1 MiB by default",
                      ""});
    return result;
}

std::size_t count_of(const findings& all, severity how) {
    return static_cast<std::size_t>(std::ranges::count(all, how, &finding::how));
}

void print_text(const findings& all) {
    std::vector<table_row> rows;
    for (const auto& each : all)
        rows.push_back(
            {shown_words.at(static_cast<std::size_t>(each.how)), each.server, each.text});
    const auto table = text_table(rows);
    std::string text;
    std::size_t at = 0;
    for (const auto& each : all) {
        const auto end = table.find('\n', at) + 1;
        text += table.substr(at, end - at);
        if (!each.advice.empty())
            text += fmt::format("             -> {}\n", each.advice);
        at = end;
    }
    text += fmt::format("errors: {}, warnings: {}, unknown: {}\n", count_of(all, severity::error),
                        count_of(all, severity::warning), count_of(all, severity::unknown));
    print(text);
}

void print_json(const findings& all, const doctor_options& how, severity worst) {
    nlohmann::json result{{"servers", how.connection.servers},
                          {"path", how.path},
                          {"worst", json_words.at(static_cast<std::size_t>(worst))},
                          {"findings", nlohmann::json::array()}};
    for (const auto& each : all)
        result["findings"].push_back(
            {{"severity", json_words.at(static_cast<std::size_t>(each.how))},
             {"check", each.check},
             {"server", each.server},
             {"text", each.text},
             {"advice", each.advice}});
    print(text_of(result, 2));
}

} // namespace

void doctor_options::add_to(CLI::App& app) {
    path = "/locks";
    connection.connect_timeout = usual_look;
    app.add_option("PATH", path,
                   "A lock, or a node with locks below it, to check the rights at.\n"
                   "Default: /locks");
    app.add_flag("--json", json, "Write JSON, for programs");
    connection.add_to(app);
    connection.add_acl_to(app);
    connection.add_guard_to(app);
}

int doctor(const doctor_options& how) {
    if (how.path != "/")
        run_with_session(how.connection.for_session(), [&](session& own) -> asio::awaitable<int> {
            co_await check_path(own, how.connection, how.path);
            co_return 0;
        });
    const clock_check clock;
    const auto servers = addresses_of(how.connection.servers);
    const auto facts = facts_of(servers, how);
    const auto wrong = std::ranges::find_if(facts, [](const auto& one) {
        return one.no_session == error::bad_servers || one.no_session == error::bad_options;
    });
    if (wrong != facts.end())
        throw failure_of(wrong->no_session, wrong->told, how.connection, how.path);
    const auto all = all_findings(facts, how, clock);
    const auto worst = std::ranges::max(all, {}, &finding::how).how;
    if (how.json)
        print_json(all, how, worst);
    else
        print_text(all);
    return worst == severity::error ? 2 : worst == severity::warning ? 1 : 0;
}

} // namespace turnstile::command
