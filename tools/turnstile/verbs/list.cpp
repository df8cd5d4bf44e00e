// SPDX-License-Identifier: BSL-1.0
#include "commands.hpp"

#include "command_failure.hpp"
#include "options/number_option.hpp"
#include "program/ticket_program.hpp"
#include "text/holder_text.hpp"
#include "text/human_text.hpp"
#include "text/line_text.hpp"
#include "text/output.hpp"
#include "text/printable.hpp"
#include "text/say.hpp"
#include "text/text_table.hpp"
#include "verbs/tree_walk.hpp"

#include <boost/system/system_error.hpp>

#include <nlohmann/json.hpp>

#include <CLI/App.hpp>

#include <fmt/core.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

std::string kind_of(const found_lock& lock) {
    if (lock.limit)
        return "semaphore";
    if (std::ranges::any_of(lock.line, [](const auto& each) { return each.node == "holder"; }))
        return "one node";
    return std::ranges::any_of(lock.line, &participant::shared) ? "shared" : "exclusive";
}

std::set<std::string> libraries_of(const found_lock& lock) {
    std::set<std::string> result;
    for (const auto& each : lock.line)
        result.insert(program_of(each));
    return result;
}

/// Returns the first in line, if it holds and its ticket could be read.
const participant* holder_of(const found_lock& lock) {
    const bool known = !lock.line.empty() && lock.line.front().holds &&
                       lock.line.front().known == participant::knowledge::answered;
    return known ? &lock.line.front() : nullptr;
}

std::size_t holders_of(const found_lock& lock) {
    return static_cast<std::size_t>(std::ranges::count_if(lock.line, &participant::holds));
}

table_row row_of(const found_lock& lock) {
    const auto holders = std::to_string(holders_of(lock));
    const auto* const holder = holder_of(lock);
    return {printable(lock.path),
            kind_of(lock),
            lock.limit ? fmt::format("{} of {}", holders, *lock.limit) : holders,
            std::to_string(lock.line.size() - holders_of(lock)),
            holder ? name_text(*holder) : "",
            holder ? text_of(holder->age()) : "",
            fmt::format("{}", fmt::join(libraries_of(lock), ", "))};
}

nlohmann::json lock_json(const found_lock& lock) {
    nlohmann::json result{{"path", lock.path},
                          {"kind", kind_of(lock)},
                          {"holders", holders_of(lock)},
                          {"waiters", lock.line.size() - holders_of(lock)},
                          {"libraries", libraries_of(lock)}};
    if (lock.limit)
        result["limit"] = *lock.limit;
    if (const auto* const holder = holder_of(lock))
        result["holder"] = json_of(*holder);
    return result;
}

void print_json(const std::string& path, const found_locks& found) {
    nlohmann::json result{{"path", path},
                          {"locks", nlohmann::json::array()},
                          {"denied", found.denied},
                          {"whole", found.whole}};
    for (const auto& each : found.locks)
        result["locks"].push_back(lock_json(each));
    print(text_of(result, 2));
}

void print_table(const list_options& how, const found_locks& found) {
    std::vector<table_row> rows{
        {"LOCK", "KIND", "HOLDERS", "WAITERS", "HOLDER", "IN LINE FOR", "LIBRARY"}};
    for (const auto& each : found.locks)
        rows.push_back(row_of(each));
    const bool all_seen = found.whole && found.denied.empty();
    if (found.locks.empty())
        print(fmt::format("no locks in use {} {}\n",
                          all_seen ? "at or below" : "among the nodes that were looked at below",
                          printable(how.path)));
    else
        print(text_table(rows));
    for (const auto& each : found.denied)
        say(printable(each) + ": the right READ is denied, so what is below it is not shown");
    if (!found.whole)
        say(fmt::format("there are more than {} nodes: not all of them were looked at (see --most)",
                        how.most));
}

} // namespace

void list_options::add_to(CLI::App& app) {
    path = "/";
    may_be_root = true;
    app.add_option("PATH", path, "Show the locks at and below it. Default: /, which is all locks");
    app.add_flag("--json", json, "Write JSON, for programs");
    takes_number(
        app.add_option("--most", most, "Look at so many nodes. Default: 10000")->type_name("N"), 1,
        1'000'000'000);
    connection.add_to(app);
}

int list(const list_options& how) {
    return with_connection(how, [&](session& own) -> asio::awaitable<int> {
        tree_walk walk(own, how.most);
        found_locks found;
        error_code failed;
        try {
            found = co_await walk.below(how.path);
            if (std::ranges::find(found.denied, how.path) != found.denied.end())
                failed = error::read_denied; // there is nothing to list
        } catch (const boost::system::system_error& e) {
            failed = e.code();
        }
        if (failed)
            throw failure_of(failed, {}, how.connection, how.path);
        if (how.json)
            print_json(how.path, found);
        else
            print_table(how, found);
        co_return static_cast<int>(exit_code::done);
    });
}

} // namespace turnstile::command
