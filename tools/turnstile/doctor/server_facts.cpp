// SPDX-License-Identifier: BSL-1.0
#include "doctor/server_facts.hpp"

#include "doctor/four_letter_words.hpp"
#include "text/quietly.hpp"

#include <turnstile/session.hpp>
#include <turnstile/with_diagnostics.hpp>

#include <boost/asio/error.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
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
constexpr std::chrono::seconds most_spared{2}; // for the words before the session, and for its end

/// Reads lines that have a key, one of these marks, and a value.
server_facts::values values_in(const std::string& text, std::string_view mark) {
    server_facts::values result;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        if (const auto at = line.find(mark); at != std::string::npos)
            result[line.substr(0, at)] = line.substr(at + mark.size());
    return result;
}

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

/// Counts our connections, without the one that asks.
std::size_t connections_from(const std::string& host, const std::string& all) {
    std::size_t result = 0;
    const auto mark = '/' + host + ':';
    for (auto at = all.find(mark); at != std::string::npos; at = all.find(mark, at + 1))
        ++result;
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

asio::awaitable<void> ask_words_first(server_facts& facts, std::optional<tls_options> tls,
                                      std::chrono::milliseconds limit, asio::steady_timer& others) {
    co_await ask_words(facts, std::move(tls), limit);
    others.expires_at(asio::steady_timer::time_point::min()); // whether they wait yet, or not
}

/// Measures the slowest of several answers. The first question is not measured: it also looks for
/// the node.
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

asio::awaitable<void> use_session(server_facts& facts, session_options how, std::string path,
                                  asio::steady_timer& begin) {
    co_await begin.async_wait(quietly);
    const auto executor = co_await asio::this_coro::executor;
    session own(executor, std::move(how));
    const auto [failed] = co_await own.connect(with_diagnostics(facts.told, quietly));
    facts.no_session = failed;
    if (failed)
        co_return;
    facts.granted = own.negotiated_timeout();
    co_await ask_for_access(own, path, facts);
    auto [unknown, above] = co_await own.check_access(
        path.substr(0, std::max<std::size_t>(path.rfind('/'), 1)), quietly);
    if (!unknown)
        facts.parent = std::move(above);
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
    const auto head_start = std::min<std::chrono::milliseconds>(limit / 4, most_spared);
    asio::steady_timer begin(executor, head_start);
    asio::steady_timer timer(executor, limit + head_start * 3 / 2);
    // Made before the co_await: gcc 12 copies what is made within one bit by bit.
    auto words = ask_words_first(facts, options.tls, limit, begin);
    auto work = use_session(facts, std::move(options), std::move(path), begin);
    co_await ((std::move(words) && std::move(work)) || timer.async_wait(quietly));
    co_return facts;
}

} // namespace turnstile::command
