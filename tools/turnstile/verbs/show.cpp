// SPDX-License-Identifier: BSL-1.0
#include "commands.hpp"

#include "doctor/four_letter_words.hpp"
#include "exit_code.hpp"
#include "options/number_option.hpp"
#include "options/server_address.hpp"
#include "text/line_text.hpp"
#include "text/output.hpp"
#include "text/quietly.hpp"

#include <CLI/App.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <charconv>
#include <chrono>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds dump_limit{1};

/// The leader lists all sessions by the time of their end, each after a tab, and then the nodes.
std::optional<std::set<std::int64_t>> sessions_in(const std::string& dump) {
    const auto begin = dump.find("Session Sets");
    const auto end = dump.find("ephemeral nodes dump", begin);
    if (begin == std::string::npos || end == std::string::npos)
        return std::nullopt;
    std::set<std::int64_t> result;
    std::istringstream in(dump.substr(begin, end - begin));
    for (std::string line; std::getline(in, line);) {
        const std::string_view mark = "\t0x";
        std::uint64_t id = 0;
        if (line.starts_with(mark) &&
            std::from_chars(line.data() + mark.size(), line.data() + line.size(), id, 16).ec ==
                std::errc())
            result.insert(static_cast<std::int64_t>(id));
    }
    return result;
}

/// Throws if the server does not say.
asio::awaitable<std::set<std::int64_t>> sessions_by(server_address where,
                                                    std::optional<tls_options> tls) {
    const auto found = sessions_in((co_await ask_word(where, tls, "dump", dump_limit)).text);
    if (!found)
        throw boost::system::system_error(asio::error::not_found);
    co_return *found;
}

/// Asks all servers at once by the word `dump`, which only the leader answers. Returns the sessions
/// that it knows; nothing if it does not allow the word or is not in the list of servers.
asio::awaitable<std::optional<std::set<std::int64_t>>> known_sessions(connection_options how) {
    namespace experimental = asio::experimental;
    const auto executor = co_await asio::this_coro::executor;
    const auto tls = how.tls.chosen();
    const auto ask = [&](const server_address& where) {
        return asio::co_spawn(executor, sessions_by(where, tls), asio::deferred);
    };
    std::vector<decltype(ask(server_address{}))> questions;
    for (const auto& each : addresses_of(how.servers).all)
        questions.push_back(ask(each));
    auto group = experimental::make_parallel_group(std::move(questions));
    auto [order, failed, found] =
        co_await group.async_wait(experimental::wait_for_one_success(), asio::use_awaitable);
    for (const auto each : order)
        if (!failed[each])
            co_return std::move(found[each]);
    co_return std::nullopt;
}

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
