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

/// One client's connection through the proxy: two sockets, and a lane each way with a queue of
/// frames. A lane's reader judges each frame by the rules and queues it. Its writer takes frames
/// from the queue and does what the rule says (proxy_link_actions.cpp).
///
/// A link is open until one side ends or a rule cuts it. It lives in its coroutines, all in the one
/// thread of the proxy. frame_proxy makes it, and knows it while it lives.
class proxy_link : public std::enable_shared_from_this<proxy_link> {
public:
    using tcp = boost::asio::ip::tcp;

    /// Whom it tells what it sees; either may be null.
    struct observers {
        session_book* sessions = nullptr;
        wire_notes* notes = nullptr;
    };

    /// `number` is its name in the notes. A rule with `outage` sets the proxy's `outage`.
    proxy_link(tcp::socket client, rule_book& rules, proxy_stats& stats, const observers& told,
               std::uint64_t number, bool& outage);

    /// Connects to the server, and then passes frames.
    void start(const tcp::endpoint& server);
    /// Resets both sides.
    void cut();
    void release_held();
    /// Passes nothing any more, not even the end of a side.
    void swallow_everything();

    [[nodiscard]] bool open() const noexcept { return !closed_; }
    [[nodiscard]] bool swallowing() const noexcept { return up_.swallowing || down_.swallowing; }

private:
    /// A frame on its way, or the end of the stream after the last one.
    struct item {
        std::string bytes;
        std::int32_t xid = 0;
        test::op op = test::op::unknown;
        std::optional<verdict> judged;    ///< the rule that fires for it
        const char* tells_gone = nullptr; ///< how it tells that the node `path` is gone; or null
        std::string path = {};
        bool end = false;          ///< it is the end of the stream
        bool end_by_reset = false; ///< and that was a reset
    };

    /// One direction.
    struct lane {
        direction where;
        tcp::socket& source;
        tcp::socket& sink;
        boost::asio::steady_timer wake;  // cancelled whenever the queue may be looked at again
        boost::asio::steady_timer pause; // for action::delay and action::split
        std::deque<item> queue = {};
        bool held = false;       // frames wait in the queue
        bool swallowing = false; // frames that arrive are dropped
        bool stopped = false;    // nothing is forwarded any more
    };

    /// The request of a rule cut_after, once it was forwarded: its reply is the moment of the cut.
    struct last_request {
        test::op op;
        std::int32_t xid;
        verdict when_answered; // what is done to the reply, or to the server's end before it
    };

    // The order in which they run: run() connects, and starts a read_loop() and a write_loop() for
    // each lane. The reader calls on_frame(), and on_source_end() at last; both queue an item. The
    // writer calls apply() for each item, which ends with deliver(), cut_after(), split() or a cut.
    using self_ptr = std::shared_ptr<proxy_link>;
    static boost::asio::awaitable<void> run(self_ptr self, tcp::endpoint server);
    static boost::asio::awaitable<void> read_loop(self_ptr self, lane& l);
    static boost::asio::awaitable<void> write_loop(self_ptr self, lane& l);

    void on_frame(lane& l, std::string bytes);
    void on_source_end(lane& l, bool by_reset);
    void enqueue(lane& l, item i);
    /// The writer has come to the end of the stream: passes that on.
    void finish(lane& l, bool by_reset);
    /// Closes both sides without a reset.
    void close();
    /// Wakes both writers, which then end, and gives back the matches of rules that were not
    /// applied.
    void stop_waiting();
    void note_closed();
    /// Notes it if the client was now told that a node is gone.
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
    bool& outage_; // of the proxy
    frame_decoder decoder_;
    lane up_;
    lane down_;
    std::optional<last_request> last_request_;
    bool closed_ = false;
    bool noted_closed_ = false; // the end of the link, or of its client, is in the notes
};

} // namespace turnstile::test
