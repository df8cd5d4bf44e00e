// SPDX-License-Identifier: BSL-1.0
#include "commands.hpp"

#include "command_failure.hpp"
#include "text/holder_text.hpp"
#include "text/human_text.hpp"
#include "text/line_text.hpp"
#include "text/outcome.hpp"
#include "text/output.hpp"
#include "text/printable.hpp"
#include "text/quietly.hpp"
#include "verbs/live_view.hpp"

#include <turnstile/election.hpp>
#include <turnstile/with_diagnostics.hpp>

#include <nlohmann/json.hpp>

#include <CLI/App.hpp>

#include <fmt/core.h>

#include <chrono>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds next_try{1};
constexpr std::size_t longest_value = 200; // this many columns of a value are shown

std::string session_text(const leader_info& who) {
    return fmt::format("0x{:x}", static_cast<std::uint64_t>(who.session_id));
}

nlohmann::json leader_json(const leader_info& who, const std::string& path) {
    nlohmann::json result{{"path", path}, {"leads", static_cast<bool>(who)}};
    if (!who)
        return result;
    result["value"] = who.value;
    result["token"] = who.fencing_token.str();
    result["host"] = who.host;
    result["pid"] = pid_json(who.pid);
    result["label"] = who.label;
    result["session"] = session_text(who);
    result["in_line_since"] = utc_text(who.since);
    return result;
}

std::string leader_text(const leader_info& who, const leader_options& how) {
    if (!who)
        return "nobody leads " + how.path;
    // With --watch a change may have been missed, so it does not say since when.
    const auto since = how.watch ? "" : ", in line since " + text_of(who.since);
    return fmt::format("{} leads {}, token {}{}{}",
                       who.host.empty() ? "another program (session " + session_text(who) + ')'
                                        : process_text(who.host, who.pid, who.label),
                       how.path, who.fencing_token.str(), since,
                       who.value.empty() ? ""
                                         : ": " + begin_of(printable(who.value), longest_value));
}

void tell(const leader_info& who, const leader_options& how) {
    const auto now = std::chrono::system_clock::now();
    if (!how.json) {
        print((how.watch ? text_of(now) + "  " : "") + leader_text(who, how) + '\n');
        return;
    }
    auto object = leader_json(who, how.path);
    if (how.watch)
        object["time"] = utc_text(now);
    print(text_of(object, how.watch ? -1 : 2));
}

/// Shows the leader once, or at each change. Returns whether there is one.
asio::awaitable<bool> follow(const leader_options& how, session& own) {
    election object(own, how.path);
    std::optional<leader_info> known;
    while (how.watch || !known) {
        diagnostics told;
        const auto token = with_diagnostics(told, quietly);
        error_code failed;
        leader_info now;
        if (known)
            std::tie(failed, now) = co_await object.observe(*known, token);
        else
            std::tie(failed, now) = co_await object.get_leader(token);
        if (failed) {
            const auto why = failure_of(failed, told, how.connection, how.path);
            if (!how.watch || why.code() != exit_code::no_server)
                throw why;
            co_await pause_for(next_try);
            continue;
        }
        known = std::move(now);
        tell(*known, how);
    }
    co_return static_cast<bool>(*known);
}

} // namespace

void leader_options::add_to(CLI::App& app) {
    path_options::add_to(app);
    app.add_flag("--watch", watch, "Tell changes, until Ctrl-C");
}

int leader(const leader_options& how) {
    return with_connection(how, [&](session& own) -> asio::awaitable<int> {
        bool leads = true;
        const auto work = [&]() -> asio::awaitable<void> { leads = co_await follow(how, own); };
        if (how.watch)
            co_await live_view(own, how.connection, work());
        else
            co_await work();
        co_return static_cast<int>(leads ? exit_code::done : exit_code::not_acquired);
    });
}

} // namespace turnstile::command
