// SPDX-License-Identifier: BSL-1.0
#include "proxy_link.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <utility>

namespace turnstile::test {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr auto no_throw = asio::as_tuple(asio::use_awaitable);

void reset(tcp::socket& socket) {
    error_code ignored;
    socket.set_option(asio::socket_base::linger{true, 0}, ignored);
    socket.close(ignored);
}

} // namespace

proxy_link::proxy_link(tcp::socket client, rule_book& rules, proxy_stats& stats,
                       const observers& told, std::uint64_t number, bool& outage)
    : client_{std::move(client)},
      server_{client_.get_executor()},
      rules_{rules},
      stats_{stats},
      told_{told},
      number_{number},
      outage_{outage},
      up_{direction::to_server, client_, server_, asio::steady_timer{client_.get_executor()},
          asio::steady_timer{client_.get_executor()}},
      down_{direction::to_client, server_, client_, asio::steady_timer{client_.get_executor()},
            asio::steady_timer{client_.get_executor()}} {}

void proxy_link::start(const tcp::endpoint& server) {
    asio::co_spawn(client_.get_executor(), run(shared_from_this(), server), asio::detached);
}

asio::awaitable<void> proxy_link::run(self_ptr self, tcp::endpoint server) {
    const auto [failure] = co_await self->server_.async_connect(server, no_throw);
    if (failure || self->closed_) {
        self->cut();
        co_return;
    }
    error_code ignored;
    self->server_.set_option(tcp::no_delay{true}, ignored);
    self->client_.set_option(tcp::no_delay{true}, ignored);
    const auto executor = self->client_.get_executor();
    for (lane* l : {&self->up_, &self->down_}) {
        asio::co_spawn(executor, read_loop(self, *l), asio::detached);
        asio::co_spawn(executor, write_loop(self, *l), asio::detached);
    }
}

asio::awaitable<void> proxy_link::read_loop(self_ptr self, lane& l) {
    frame_splitter splitter;
    std::array<char, 16'384> buffer;
    while (l.source.is_open()) {
        const auto [failure, size] =
            co_await l.source.async_read_some(asio::buffer(buffer), no_throw);
        if (self->closed_)
            co_return;
        if (failure) {
            self->on_source_end(l, failure != asio::error::eof);
            co_return;
        }
        auto& bytes = l.where == direction::to_server ? self->stats_.bytes_to_server
                                                      : self->stats_.bytes_to_client;
        bytes += size;
        splitter.feed(buffer.data(), size);
        while (auto frame_bytes = splitter.next())
            self->on_frame(l, std::move(*frame_bytes));
    }
}

void proxy_link::on_frame(lane& l, std::string bytes) {
    auto f = decoder_.decode(l.where, std::move(bytes));
    ++stats_.frames[{l.where, f.op}];
    if (told_.sessions != nullptr && l.where == direction::to_client && f.op == op::connect)
        told_.sessions->note(f.bytes);
    else if (told_.sessions != nullptr && l.where == direction::to_server && f.op == op::auth)
        told_.sessions->note_identity(f.identity);
    const char* tells_gone = nullptr;
    if (told_.notes != nullptr && l.where == direction::to_client) {
        told_.notes->arrived(number_, f);
        tells_gone = wire_notes::tells_gone(f);
    }
    auto judged = rules_.judge(l.where, f);
    if (judged && judged->rule.action == action::wrong_bytes)
        f.bytes = judged->rule.rewritten(std::move(f.bytes));
    outage_ = outage_ || (judged && judged->rule.outage);
    if (last_request_ && l.where == direction::to_client && f.op == last_request_->op &&
        f.xid == last_request_->xid)
        judged = last_request_->when_answered;
    enqueue(l, item{std::move(f.bytes), f.xid, f.op, std::move(judged), tells_gone,
                    tells_gone != nullptr ? std::move(f.path) : std::string{}});
}

void proxy_link::on_source_end(lane& l, bool by_reset) {
    if (l.where == direction::to_server) {
        ++stats_.ended_by_client;
        note_closed();
    }
    item i;
    if (last_request_ && l.where == direction::to_client) {
        i.judged = last_request_->when_answered; // no answer comes: this is the moment of the cut
    } else {
        i.end = true;
        i.end_by_reset = by_reset;
    }
    enqueue(l, std::move(i));
}

void proxy_link::enqueue(lane& l, item i) {
    l.queue.push_back(std::move(i));
    l.wake.cancel();
}

asio::awaitable<void> proxy_link::write_loop(self_ptr self, lane& l) {
    while (!self->closed_ && !l.stopped) {
        if (l.held || l.queue.empty()) {
            l.wake.expires_at(asio::steady_timer::time_point::max());
            co_await l.wake.async_wait(no_throw);
            continue;
        }
        item i = std::move(l.queue.front());
        l.queue.pop_front();
        co_await self->apply(l, std::move(i));
    }
}

asio::awaitable<void> proxy_link::write(lane& l, const char* data, std::size_t size) {
    // A failure is not looked at: the other lane's reader sees the end of this socket.
    if (!closed_ && l.sink.is_open())
        co_await asio::async_write(l.sink, asio::buffer(data, size), no_throw);
}

asio::awaitable<void> proxy_link::sleep(lane& l, std::chrono::milliseconds time) {
    if (!closed_) {
        l.pause.expires_after(time);
        co_await l.pause.async_wait(no_throw);
    }
}

void proxy_link::finish(lane& l, bool by_reset) {
    l.stopped = true;
    if (l.swallowing) {
        // The other side does not learn of the end. When both sides have ended the link is over.
        error_code ignored;
        l.source.close(ignored);
        if (!l.sink.is_open())
            close();
    } else if (by_reset) {
        cut();
    } else {
        close();
    }
}

void proxy_link::cut() {
    if (!std::exchange(closed_, true)) {
        note_closed();
        reset(client_);
        reset(server_);
        stop_waiting();
    }
}

void proxy_link::close() {
    if (!std::exchange(closed_, true)) {
        note_closed();
        error_code ignored;
        client_.close(ignored);
        server_.close(ignored);
        stop_waiting();
    }
}

void proxy_link::note_closed() {
    if (told_.notes != nullptr && !std::exchange(noted_closed_, true))
        told_.notes->closed(number_);
}

// A link that was closed during the write notes nothing: its client may not have read the frame.
void proxy_link::note_delivery(const item& i) {
    if (i.tells_gone != nullptr && !noted_closed_)
        told_.notes->gone(number_, decoder_.session(), i.path, i.tells_gone);
}

void proxy_link::stop_waiting() {
    for (lane* l : {&up_, &down_}) {
        for (const auto& i : l->queue)
            if (i.judged)
                rules_.give_back(i.judged->id); // the frame is lost before the rule was applied
        l->queue.clear();
        l->wake.cancel();
        l->pause.cancel();
    }
}

void proxy_link::release_held() {
    for (lane* l : {&up_, &down_}) {
        l->held = false;
        l->wake.cancel();
    }
}

void proxy_link::swallow_everything() {
    up_.swallowing = true;
    down_.swallowing = true;
}

} // namespace turnstile::test
