// SPDX-License-Identifier: BSL-1.0
#include "doctor/server_facts.hpp"

#include "doctor/four_letter_words.hpp"
#include "text/quietly.hpp"

#include <turnstile/session.hpp>
#include <turnstile/with_diagnostics.hpp>

#include <boost/asio/error.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <utility>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

constexpr int measurements = 5;

// The session begins after this time, even if the words are not answered yet.
constexpr std::chrono::seconds longest_head_start{2};

/// Reads the lines that have a key, the mark, and a value.
server_facts::values values_in(const std::string& text, std::string_view mark) {
    server_facts::values result;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        if (const auto at = line.find(mark); at != std::string::npos)
            result[line.substr(0, at)] = line.substr(at + mark.size());
    return result;
}

/// Tells the answers to `srvr` apart.
server_facts::words kind_of(const std::string& answer) {
    using enum server_facts::words;
    if (answer.empty())
        return silent;
    if (answer.starts_with("Zookeeper version:"))
        return answered;
    if (answer.find("is not executed because it is not in the whitelist") != std::string::npos)
        return not_allowed;
    return answer.starts_with("This ZooKeeper instance is not currently serving") ? not_serving
                                                                                  : foreign;
}

/// Counts the connections from this host, without the one that asks. `list`: the answer to `cons`,
/// a line for each connection, such as " /127.0.0.1:4711[1](queued=0,...". Java writes an address
/// of IPv6 in full, and newer ones in brackets: "/[0:0:0:0:0:0:0:1]:4711".
std::size_t connections_from(const std::string& host, const std::string& list) {
    boost::system::error_code failed;
    const auto own = asio::ip::make_address(host, failed);
    std::size_t result = 0;
    std::istringstream lines(list);
    for (std::string line; !failed && std::getline(lines, line);) {
        line.resize(std::min(line.find('('), line.size()));
        const auto begin = std::min(line.find('/'), line.size() - 1) + 1;
        const auto colon = line.rfind(':', line.rfind('['));
        auto text = line.substr(begin, std::max(colon, begin) - begin);
        std::erase_if(text, [](char each) { return each == '[' || each == ']'; });
        boost::system::error_code is_none;
        result += asio::ip::make_address(text, is_none) == own && !is_none ? 1U : 0U;
    }
    return result > 0 ? result - 1 : 0;
}

asio::awaitable<void> ask_words(server_facts& facts, std::optional<tls_options> tls,
                                std::chrono::milliseconds limit) {
    const auto srvr = co_await ask_word(facts.where, tls, "srvr", limit);
    facts.not_reached = srvr.failed;
    facts.reached = srvr.server;
    facts.tls = srvr.tls;
    facts.days_left = srvr.days_left;
    facts.said = srvr.named ? kind_of(srvr.text) : server_facts::words::unnamed;
    facts.first_line = srvr.text.substr(0, std::min(srvr.text.find_first_of("\r\n"), 60UL));
    const auto question = question_for_watch_manager();
    const auto watches = co_await ask_word(facts.where, tls, question, limit);
    facts.watches = watch_manager_in(watches.text);
    if (facts.said != server_facts::words::answered)
        co_return;
    facts.srvr = values_in(srvr.text, ": ");
    const auto conf = co_await ask_word(facts.where, tls, "conf", limit);
    facts.conf = values_in(conf.text, "=");
    for (const auto& [key, value] : facts.conf)
        if (key.starts_with("server."))
            facts.members.push_back(key + '=' + value);
    const auto mntr = co_await ask_word(facts.where, tls, "mntr", limit);
    facts.mntr = values_in(mntr.text, "\t");
    const auto cons = co_await ask_word(facts.where, tls, "cons", limit);
    if (kind_of(cons.text) != server_facts::words::not_allowed && !cons.text.empty())
        facts.own_connections = connections_from(cons.own_host, cons.text);
}

/// Asks the words, and then lets the session begin.
asio::awaitable<void> ask_words_first(server_facts& facts, std::optional<tls_options> tls,
                                      std::chrono::milliseconds limit,
                                      asio::steady_timer& session_start) {
    co_await ask_words(facts, std::move(tls), limit);
    // Ends a wait that has begun, and also one that begins later.
    session_start.expires_at(asio::steady_timer::time_point::min());
}

/// Asks what we may do at the path, and measures the slowest of several answers. The first question
/// is not measured: it also looks for the node.
asio::awaitable<void> ask_for_access(session& own, const std::string& path, server_facts& facts) {
    using clock = std::chrono::steady_clock;
    for (int i = 0; i <= measurements; ++i) {
        const auto begun = clock::now();
        auto [failed, access] = co_await own.check_access(path, quietly);
        // Each question is a read and then a write.
        if (i > 0)
            facts.slowest_answer =
                std::max(facts.slowest_answer,
                         std::chrono::ceil<std::chrono::milliseconds>((clock::now() - begun) / 2));
        if (failed == asio::error::operation_aborted)
            co_return; // the time is over
        facts.access_failed = failed;
        if (failed)
            co_return;
        facts.access = std::move(access);
    }
}

/// Opens a session at the server, and finds out what a session can.
asio::awaitable<void> use_session(server_facts& facts, session_options how, std::string path,
                                  asio::steady_timer& session_start) {
    co_await session_start.async_wait(quietly);
    const auto executor = co_await asio::this_coro::executor;
    session own(executor, std::move(how));
    const auto [failed] = co_await own.connect(with_diagnostics(facts.told, quietly));
    facts.no_session = failed;
    if (failed)
        co_return;
    facts.granted = own.negotiated_timeout();
    co_await ask_for_access(own, path, facts);
    auto [parent_failed, parent] = co_await own.check_access(
        path.substr(0, std::max<std::size_t>(path.rfind('/'), 1)), quietly);
    if (!parent_failed)
        facts.parent = std::move(parent);
    co_await own.close(quietly);
}

} // namespace

asio::awaitable<server_facts> look_at(server_address where, std::string chroot,
                                      const connection_options& how, std::string path,
                                      std::chrono::milliseconds limit) {
    using namespace asio::experimental::awaitable_operators;
    const auto executor = co_await asio::this_coro::executor;
    server_facts facts{.where = std::move(where)};
    auto options = how.for_session();
    options.servers = facts.where.text + chroot;
    options.connect_timeout = limit;
    facts.no_session = error::connect_timeout; // stays so unless it connects
    const auto head_start = std::min<std::chrono::milliseconds>(limit / 4, longest_head_start);
    asio::steady_timer session_start(executor, head_start);
    const auto time_to_close = head_start / 2;
    asio::steady_timer timer(executor, head_start + limit + time_to_close);
    // Made before the co_await: gcc 12 copies what is made within one bit by bit.
    auto words = ask_words_first(facts, options.tls, limit, session_start);
    auto work = use_session(facts, std::move(options), std::move(path), session_start);
    co_await ((std::move(words) && std::move(work)) || timer.async_wait(quietly));
    co_return facts;
}

} // namespace turnstile::command
