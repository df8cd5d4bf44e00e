// SPDX-License-Identifier: BSL-1.0
#include "commands.hpp"

#include "command_failure.hpp"
#include "options/number_option.hpp"
#include "text/line_text.hpp"
#include "text/output.hpp"
#include "text/quietly.hpp"

#include <turnstile/semaphore.hpp>
#include <turnstile/with_diagnostics.hpp>

#include <nlohmann/json.hpp>

#include <CLI/App.hpp>

#include <fmt/core.h>

#include <limits>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

void print_json(const limit_options& how, const std::optional<std::uint32_t>& found) {
    nlohmann::json result{{"path", how.path}, {"limit", nullptr}};
    if (how.remove)
        result["removed"] = found.has_value();
    else if (found)
        result["limit"] = *found;
    print(text_of(result, 2));
}

void print_text(const limit_options& how, const std::optional<std::uint32_t>& found) {
    if (!found)
        print(fmt::format("{}: no semaphore\n", how.path));
    else if (how.remove)
        print(fmt::format("{}: the semaphore is removed\n", how.path));
    else
        print(fmt::format("{}: at most {} at a time\n", how.path, *found));
}

} // namespace

void limit_options::add_to(CLI::App& app) {
    path_options::add_to(app);
    connection.add_acl_to(app);
    auto* const number = takes_number(
        app.add_option("N", limit, "The new limit: so many permits at a time, over all programs"),
        1, std::numeric_limits<std::uint32_t>::max());
    app.add_flag("--remove", remove, "Take the semaphore away, if nobody holds or waits")
        ->excludes(number);
}

int limit(const limit_options& how) {
    return with_connection(how, [&](session& own) -> asio::awaitable<int> {
        semaphore lock(own, how.path);
        diagnostics told;
        auto found = how.limit; // the limit now, or before it was removed
        if (!how.limit)
            found = co_await limit_at(own, how);
        if (how.limit || how.remove) {
            const auto [failed] =
                how.limit ? co_await lock.set_limit(*how.limit, with_diagnostics(told, quietly))
                          : co_await lock.remove(with_diagnostics(told, quietly));
            if (failed == error::would_block)
                throw command_failure(
                    exit_code::refused,
                    fmt::format("the semaphore at {} is in use\n"
                                "`turnstile show {}` tells who holds permits and who waits.",
                                how.path, how.path));
            if (failed) {
                const auto node = co_await denied_node(own, failed, how.path);
                throw failure_of(failed, told, how.connection, node);
            }
            co_await warn_of_rights(own, how.connection, how.path);
        }
        if (how.json)
            print_json(how, found);
        else
            print_text(how, found);
        co_return static_cast<int>(exit_code::done);
    });
}

} // namespace turnstile::command
