// SPDX-License-Identifier: BSL-1.0
#include "commands.hpp"

#include "exit_code.hpp"
#include "known_sessions.hpp"
#include "line_text.hpp"
#include "number_option.hpp"
#include "output.hpp"
#include "quietly.hpp"

#include <CLI/App.hpp>

#include <utility>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

/// Returns the tickets' sessions that the servers do not know; none if the servers do not say.
asio::awaitable<std::set<std::int64_t>> unknown_sessions(const std::vector<participant>& line,
                                                         connection_options how) {
    std::set<std::int64_t> result;
    if (const auto known = co_await known_sessions(std::move(how)))
        for (const auto& each : line)
            if (each.session_id != 0 && !known->contains(each.session_id))
                result.insert(each.session_id);
    co_return result;
}

} // namespace

void show_options::add_to(CLI::App& app) {
    path_options::add_to(app);
    takes_number(
        app.add_option("--most", most, "Tell details of so many from the first on. Default: 50")
            ->type_name("N"),
        0, 1'000'000'000);
}

int show(const show_options& how) {
    return with_connection(how, [&](session& own) -> asio::awaitable<int> {
        lock_line found{.path = how.path};
        found.line = co_await line_at(own, how, how.most);
        if (may_be_semaphore(found.line))
            found.limit = co_await limit_at(own, how);
        if (!found.line.empty())
            found.unknown_sessions = co_await unknown_sessions(found.line, how.connection);
        if (!found.unknown_sessions.empty()) {
            // A session that has ended meanwhile took its ticket along. A question about rights is
            // a transaction: a server that has answered it has seen that end as well.
            co_await own.check_access(how.path, quietly);
            found.line = co_await line_at(own, how, how.most);
        }
        print(how.json ? json_of(found) : table_of(found));
        co_return static_cast<int>(exit_code::done);
    });
}

} // namespace turnstile::command
