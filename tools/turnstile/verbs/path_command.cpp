// SPDX-License-Identifier: BSL-1.0
#include "verbs/path_command.hpp"

#include "command_failure.hpp"
#include "options/key_option.hpp"
#include "options/server_address.hpp"
#include "text/outcome.hpp"
#include "text/printable.hpp"
#include "text/quietly.hpp"
#include "text/say.hpp"

#include <turnstile/mutex.hpp>
#include <turnstile/run_with_session.hpp>
#include <turnstile/semaphore.hpp>
#include <turnstile/with_diagnostics.hpp>

#include <CLI/App.hpp>

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <variant>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::milliseconds least_limit{1'000}; // of a session's limits below
constexpr std::chrono::seconds close_limit{1};          // short, since nothing is held
constexpr std::chrono::seconds access_limit{1};

/// Asks what we may do at the path; nothing if no answer comes soon. The answer is for a message,
/// which is not worth a longer wait.
asio::awaitable<std::optional<path_access>> access_at(session& own, const std::string& path) {
    using namespace asio::experimental::awaitable_operators;
    const auto first = co_await (own.check_access(path, quietly) || pause_for(access_limit));
    const auto* const answer = std::get_if<0>(&first);
    co_return answer != nullptr && !std::get<0>(*answer) ? std::optional(std::get<1>(*answer))
                                                         : std::nullopt;
}

} // namespace

void path_options::add_to(CLI::App& app) {
    app.add_option("PATH", path, "The lock, such as /locks/deploy")->required();
    add_key(app, path);
    app.add_flag("--json", json, "Write JSON, for programs");
    connection.add_to(app);
}

asio::awaitable<void> check_path(session& own, const connection_options& how,
                                 const std::string& path) {
    semaphore any(own, path);
    // With a limit of 0 no server is asked: the library refuses the limit if the path is right.
    diagnostics diag;
    const auto [wrong] = co_await any.set_limit(0, with_diagnostics(diag, quietly));
    if (wrong == error::bad_path)
        throw failure_of(wrong, diag, how, path);
}

asio::awaitable<void> warn_of_rights(session& own, const connection_options& how,
                                     std::string path) {
    if (how.rights.directories == acl::rule::open || how.verbose)
        co_return;
    const auto access = co_await access_at(own, path);
    if (access && access->gives_more)
        say(fmt::format("others have rights at {} that --acl does not give: somebody else made "
                        "that node, and they can end its locks. Change its ACL, or name another "
                        "path.",
                        printable(path)));
}

asio::awaitable<std::string> denied_node(session& own, error_code why, std::string path) {
    if (why != error::create_denied)
        co_return path;
    const auto access = co_await access_at(own, path);
    co_return access ? access->node : path;
}

namespace {

/// Throws command_failure if the chroot is missing. Below it each node is missing, too, and that
/// would look like a lock that nobody holds.
asio::awaitable<void> check_chroot(session& own, const path_options& how) {
    if (addresses_of(how.connection.servers).chroot.empty())
        co_return;
    const auto [failed, names] = co_await own.list_children("/", quietly);
    if (failed == error::no_chroot)
        throw failure_of(failed, {}, how.connection, how.path);
}

} // namespace

int with_connection(const path_options& how,
                    const std::function<asio::awaitable<int>(session&)>& work,
                    std::optional<std::chrono::milliseconds> limit) {
    auto options = how.connection.for_session(limit);
    options.label = how.label;
    if (!how.connection.timeout) // nothing is held, so a silent server may be left early
        options.timeout = std::clamp(options.connect_timeout, least_limit, options.timeout);
    // After half a timeout it is known whether a server is silent.
    options.unreachable_limit =
        std::max(least_limit, options.connect_timeout - options.timeout / 2);
    const auto connected = [&](session& own) -> asio::awaitable<int> {
        if (how.path != "/" || !how.may_be_root)
            co_await check_path(own, how.connection, how.path);
        diagnostics diag;
        const auto [failed] = co_await own.connect(with_diagnostics(diag, quietly));
        if (failed)
            throw failure_of(failed, diag, how.connection, how.path);
        co_await check_chroot(own, how);
        co_return co_await work(own);
    };
    return run_with_session(options, connected, close_limit);
}

// A mutex can list the tickets of every kind of lock.
asio::awaitable<std::vector<participant>> line_at(session& own, const path_options& how,
                                                  std::size_t most) {
    mutex lock(own, how.path);
    for (;; most *= 2) {
        diagnostics diag;
        auto [failed, line] =
            co_await lock.list_participants(most, with_diagnostics(diag, quietly));
        if (failed)
            throw failure_of(failed, diag, how.connection, how.path);
        // Nodes that go with no session may stand before it, and only the details show them.
        const auto holder = std::ranges::find_if(line, &participant::holds);
        if (most == 0 || holder == line.end() || holder->known != participant::knowledge::not_asked)
            co_return std::move(line);
    }
}

asio::awaitable<std::optional<std::uint32_t>> limit_at(session& own, const path_options& how) {
    semaphore lock(own, how.path);
    diagnostics diag;
    const auto [failed, limit] = co_await lock.get_limit(with_diagnostics(diag, quietly));
    if (failed == error::no_limit)
        co_return std::nullopt;
    if (failed)
        throw failure_of(failed, diag, how.connection, how.path);
    co_return limit;
}

} // namespace turnstile::command
