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

/// The tickets and permits of a semaphore stand in folders below its path.
bool is_of_semaphore(const participant& who) { return who.node.find('/') != std::string::npos; }

std::string mode_of(const participant& who) {
    return is_of_semaphore(who) ? "permit" : who.shared ? "shared" : "exclusive";
}

std::string state_of(const participant& who) {
    return who.holds ? "holds" : is_stray(who) ? "stray" : "waits";
}

std::string knowledge_of(const participant& who) {
    // In the order of participant::knowledge.
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

std::size_t count_holders(const lock_line& lock) {
    return static_cast<std::size_t>(
        std::ranges::count_if(lock.line, [](const auto& each) { return each.holds; }));
}

std::size_t count_strays(const lock_line& lock) {
    return static_cast<std::size_t>(std::ranges::count_if(lock.line, is_stray));
}

} // namespace

bool may_be_semaphore(const std::vector<participant>& line) {
    return line.empty() || is_of_semaphore(line.front());
}

std::string table_of(const lock_line& lock) {
    const auto holders = count_holders(lock);
    auto result = fmt::format("{}: ", lock.path);
    if (lock.limit)
        result += fmt::format("{} of {} permits held", holders, *lock.limit);
    else
        result += holders == 0 ? "nobody holds it" : fmt::format("held by {}", holders);
    const auto strays = count_strays(lock);
    result += fmt::format(", {} wait", lock.line.size() - holders - strays);
    result += strays == 0 ? "\n" : fmt::format(", {} go with no session\n", strays);
    std::vector<table_row> rows;
    for (const auto& each : lock.line)
        if (each.known != participant::knowledge::not_asked)
            rows.push_back(row_of(each, rows.size() + 1));
    const auto rest = lock.line.size() - rows.size();
    if (!rows.empty()) {
        rows.insert(rows.begin(), line_columns);
        result += text_table(rows);
    }
    if (rest > 0)
        result += fmt::format("  and {} more (see --most)\n", rest);
    for (const auto& each : lock.line)
        if (lock.is_left_over(each))
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

std::string json_of(const lock_line& lock) {
    const auto holders = count_holders(lock);
    nlohmann::json result{{"path", lock.path},
                          {"holders", holders},
                          {"waiters", lock.line.size() - holders - count_strays(lock)},
                          {"line", nlohmann::json::array()}};
    if (lock.limit)
        result["limit"] = *lock.limit;
    for (const auto& each : lock.line) {
        result["line"].push_back(json_of(each));
        if (lock.is_left_over(each))
            result["line"].back()["session_over"] = true;
    }
    return text_of(result, 2);
}

std::string text_of(const nlohmann::json& value, int indent) {
    // All but ASCII is escaped: a terminal may show it, and other programs write the labels.
    return value.dump(indent, ' ', true, nlohmann::json::error_handler_t::replace) + '\n';
}

} // namespace turnstile::command
