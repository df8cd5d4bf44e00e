// SPDX-License-Identifier: BSL-1.0
#include "known_sessions.hpp"

#include "four_letter_words.hpp"
#include "server_address.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <charconv>
#include <chrono>
#include <exception>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds answer_limit{1};

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
    const auto found = sessions_in((co_await ask_word(where, tls, "dump", answer_limit)).text);
    if (!found)
        throw boost::system::system_error(asio::error::not_found);
    co_return *found;
}

} // namespace

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

} // namespace turnstile::command
