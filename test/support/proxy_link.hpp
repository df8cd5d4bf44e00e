// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "frame_decoder.hpp"
#include "frame_splitter.hpp"
#include "proxy_stats.hpp"
#include "rule_book.hpp"
#include "session_book.hpp"
#include "wire_notes.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

namespace turnstile::test {

/// One client's connection through the proxy: two sockets and a queue of frames each way.
///
/// Lives in its coroutines, all in the one thread of the proxy. See proxy_rule for what it does.
class proxy_link : public std::enable_shared_from_this<proxy_link> {
public:
    using tcp = boost::asio::ip::tcp;

    /// Where it tells what it sees; either may be null.
    struct observers {
        session_book* sessions = nullptr;
        wire_notes* notes = nullptr;
    };

    /// `number` is what the notes call it. `outage` is set where a rule says so.
    proxy_link(tcp::socket client, rule_book& rules, proxy_stats& stats, const observers& told,
               std::uint64_t number, bool& outage);

    /// Connects to the server and begins to work.
    void start(const tcp::endpoint& server);
    void cut();
    void release_held();
    void swallow_everything();

    [[nodiscard]] bool open() const noexcept { return !closed_; }
    [[nodiscard]] bool swallowing() const noexcept { return up_.swallowing || down_.swallowing; }

private:
    /// A frame on its way, or the end of the stream after the last one.
    struct item {
        std::string bytes;
        std::int32_t xid = 0;
        test::op op = test::op::unknown;
        std::optional<verdict> judged;
        const char* tells_gone = nullptr; ///< that this node is not there:
        std::string path = {};
        bool end = false;
        bool end_by_reset = false;
    };

    struct lane {
        direction where;
        tcp::socket& source;
        tcp::socket& sink;
        boost::asio::steady_timer wake;  // cancelled whenever the queue may be looked at again
        boost::asio::steady_timer pause; // for action::delay and action::split
        std::deque<item> queue = {};
        bool held = false;
        bool swallowing = false;
        bool stopped = false; // nothing is forwarded any more
    };

    /// A forwarded request whose reply the client must not get.
    struct last_request {
        test::op op;
        std::int32_t xid;
        verdict when_answered;
    };

    using self_ptr = std::shared_ptr<proxy_link>;
    static boost::asio::awaitable<void> run(self_ptr self, tcp::endpoint server);
    static boost::asio::awaitable<void> read_loop(self_ptr self, lane& l);
    static boost::asio::awaitable<void> write_loop(self_ptr self, lane& l);

    void arrived(lane& l, std::string bytes);
    void source_ended(lane& l, bool by_reset);
    void enqueue(lane& l, item i);
    void finish(lane& l, bool by_reset);
    void close();
    void stop_waiting();
    void note_closed();
    void note_delivery(const item& i);

    boost::asio::awaitable<void> apply(lane& l, item i);
    boost::asio::awaitable<void> deliver(lane& l, const item& i);
    boost::asio::awaitable<void> cut_after(lane& l, item i);
    boost::asio::awaitable<void> split(lane& l, item i);
    boost::asio::awaitable<void> write(lane& l, const char* data, std::size_t size);
    boost::asio::awaitable<void> sleep(lane& l, std::chrono::milliseconds time);

    tcp::socket client_;
    tcp::socket server_;
    rule_book& rules_;
    proxy_stats& stats_;
    observers told_;
    std::uint64_t number_;
    bool& outage_;
    frame_decoder decoder_;
    lane up_;
    lane down_;
    std::optional<last_request> last_request_;
    bool closed_ = false;
    bool noted_closed_ = false;
};

} // namespace turnstile::test
