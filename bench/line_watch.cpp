// SPDX-License-Identifier: BSL-1.0
#include "line_watch.hpp"

#include <boost/asio/deferred.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include <stdexcept>

namespace turnstile::bench {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::milliseconds poll_interval{10};
constexpr std::chrono::seconds longest_standstill{60};

[[noreturn]] void fail(std::size_t standing, std::size_t tickets) {
    throw std::runtime_error("the line does not fill: " + std::to_string(standing) + " of " +
                             std::to_string(tickets) + " tickets");
}

} // namespace

asio::awaitable<void> line_watch::complete(std::size_t tickets, progress& shown) {
    asio::steady_timer pause(co_await asio::this_coro::executor);
    std::size_t standing = 0;
    for (auto grown = clock::now();;) {
        pause.expires_after(poll_interval);
        co_await pause.async_wait(asio::deferred);
        check_();
        const bool late = clock::now() - grown > longest_standstill;
        // A request would stand behind all the creates, and hold up this thread until then.
        if (server_.has_counters() && server_.counters().at("zk_outstanding_requests") > 0 && !late)
            continue;
        const auto now = eyes_.children(path_);
        if (now >= tickets)
            co_return;
        if (now != standing)
            grown = clock::now();
        else if (late)
            fail(now, tickets);
        standing = now;
        shown.show("lining up, " + std::to_string(now));
    }
}

asio::awaitable<void> line_watch::joined(std::size_t tickets) {
    const auto executor = co_await asio::this_coro::executor;
    for (const auto start = clock::now();;) {
        co_await asio::post(executor, asio::deferred); // lets the session send, and read
        check_();
        const auto now = eyes_.children(path_);
        if (now >= tickets)
            co_return;
        if (clock::now() - start > longest_standstill)
            fail(now, tickets);
    }
}

asio::awaitable<void> line_watch::settled() {
    asio::steady_timer pause(co_await asio::this_coro::executor);
    if (!server_.has_counters()) { // nobody to ask, and nothing is wrong with a late watch
        pause.expires_after(std::chrono::seconds{1});
        co_await pause.async_wait(asio::deferred);
        co_return;
    }
    double watches = -1;
    for (int unchanged = 0; unchanged < 3;) {
        pause.expires_after(poll_interval);
        co_await pause.async_wait(asio::deferred);
        check_();
        const auto now = server_.counters();
        const bool quiet =
            now.at("zk_watch_count") == watches && now.at("zk_outstanding_requests") == 0;
        unchanged = quiet ? unchanged + 1 : 0;
        watches = now.at("zk_watch_count");
    }
}

std::optional<double> line_watch::events() const {
    return sum_of({"changed", "deleted", "children"});
}

std::optional<double> line_watch::deleted_events() const { return sum_of({"deleted"}); }

std::optional<double> line_watch::sum_of(std::initializer_list<const char*> kinds) const {
    if (!server_.has_counters())
        return {};
    const auto now = server_.counters();
    double sum = 0;
    for (const auto* const kind : kinds) {
        const auto found = now.find(std::string("zk_sum_node_") + kind + "_watch_count");
        if (found == now.end())
            return {};
        sum += found->second;
    }
    return sum;
}

} // namespace turnstile::bench
