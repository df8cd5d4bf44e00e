// SPDX-License-Identifier: BSL-1.0
#include "text/line_text.hpp"

#include "program/ticket_program.hpp"
#include "text/human_text.hpp"
#include "text/printable.hpp"
#include "text/text_table.hpp"

#include <nlohmann/json.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <system_error>
#include <utility>

namespace turnstile::command {

namespace {

const table_row line_columns{"",      "STATE",       "MODE",    "HOST",  "PID",
                             "LABEL", "IN LINE FOR", "LIBRARY", "TICKET"};

bool is_of_semaphore(const participant& who) { return who.node.find('/') != std::string::npos; }

std::string mode_of(const participant& who) {
    return is_of_semaphore(who) ? "permit" : who.shared ? "shared" : "exclusive";
}

std::string state_of(const participant& who) {
    return who.holds ? "holds" : is_stray(who) ? "stray" : "waits";
}

std::string knowledge_of(const participant& who) {
    constexpr std::array words{"not asked", "answered", "gone", "denied"};
    return words.at(static_cast<std::size_t>(who.known));
}

std::string first_line_of(const std::string& data) { return data.substr(0, data.find('\n')); }

table_row row_of(const participant& who, std::size_t place) {
    const bool answered = who.known == participant::knowledge::answered;
    return {std::to_string(place),
            state_of(who),
            mode_of(who),
            shown_name(!answered          ? '(' + knowledge_of(who) + ')'
                       : who.host.empty() ? first_line_of(who.data)
                                          : who.host),
            shown_name(who.pid),
            shown_name(who.label),
            answered ? text_of(who.age()) : "",
            program_of(who),
            printable(who.node)};
}

std::size_t holders_of(const lock_line& what) {
    return static_cast<std::size_t>(
        std::ranges::count_if(what.line, [](const auto& each) { return each.holds; }));
}

std::size_t strays_of(const lock_line& what) {
    return static_cast<std::size_t>(std::ranges::count_if(what.line, is_stray));
}

} // namespace

bool may_be_semaphore(const std::vector<participant>& line) {
    return line.empty() || is_of_semaphore(line.front());
}

std::string table_of(const lock_line& what) {
    const auto holders = holders_of(what);
    auto result = fmt::format("{}: ", what.path);
    if (what.limit)
        result += fmt::format("{} of {} permits held", holders, *what.limit);
    else
        result += holders == 0 ? "nobody holds it" : fmt::format("held by {}", holders);
    const auto strays = strays_of(what);
    result += fmt::format(", {} wait", what.line.size() - holders - strays);
    result += strays == 0 ? "\n" : fmt::format(", {} go with no session\n", strays);
    std::vector<table_row> rows;
    for (const auto& each : what.line)
        if (each.known != participant::knowledge::not_asked)
            rows.push_back(row_of(each, rows.size() + 1));
    const auto rest = what.line.size() - rows.size();
    if (!rows.empty()) {
        rows.insert(rows.begin(), line_columns);
        result += text_table(rows);
    }
    if (rest > 0)
        result += fmt::format("  and {} more (see --most)\n", rest);
    for (const auto& each : what.line)
        if (what.is_left_over(each))
            result += fmt::format("  {}: its session is over, and the servers kept it: delete it "
                                  "with `turnstile break --ticket`\n",
                                  printable(each.node));
    return result;
}

nlohmann::json json_of(const participant& who) {
    nlohmann::json result{{"ticket", who.node},
                          {"state", state_of(who)},
                          {"mode", mode_of(who)},
                          {"library", program_of(who)},
                          {"known", knowledge_of(who)}};
    if (who.known != participant::knowledge::answered)
        return result;
    result["host"] = who.host;
    result["pid"] = pid_json(who.pid);
    result["label"] = who.label;
    result["data"] = who.data;
    result["session"] = fmt::format("0x{:x}", static_cast<std::uint64_t>(who.session_id));
    result["created"] = utc_text(who.created);
    result["age_ms"] = who.age().count();
    return result;
}

nlohmann::json pid_json(const std::string& text) {
    std::uint32_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, failed] = std::from_chars(text.data(), end, number);
    return failed == std::errc() && rest == end ? nlohmann::json(number) : nlohmann::json();
}

std::string json_of(const lock_line& what) {
    const auto holders = holders_of(what);
    nlohmann::json result{{"path", what.path},
                          {"holders", holders},
                          {"waiters", what.line.size() - holders - strays_of(what)},
                          {"line", nlohmann::json::array()}};
    if (what.limit)
        result["limit"] = *what.limit;
    for (const auto& each : what.line) {
        result["line"].push_back(json_of(each));
        if (what.is_left_over(each))
            result["line"].back()["session_over"] = true;
    }
    return text_of(result, 2);
}

std::string text_of(const nlohmann::json& what, int indent) {
    // All but ASCII is escaped: a terminal may show it, and other programs write the labels.
    return what.dump(indent, ' ', true, nlohmann::json::error_handler_t::replace) + '\n';
}

} // namespace turnstile::command
