#include "proxy_link.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
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
                       session_book* sessions, bool& door_closed)
    : client_{std::move(client)},
      server_{client_.get_executor()},
      rules_{rules},
      stats_{stats},
      sessions_{sessions},
      door_closed_{door_closed},
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
        if (self->closed_) {
            co_return;
        }
        if (failure) {
            self->source_ended(l, failure != asio::error::eof);
            co_return;
        }
        auto& bytes = l.where == direction::to_server ? self->stats_.bytes_to_server
                                                      : self->stats_.bytes_to_client;
        bytes += size;
        splitter.feed(buffer.data(), size);
        while (auto frame_bytes = splitter.next()) {
            self->arrived(l, std::move(*frame_bytes));
        }
    }
}

void proxy_link::arrived(lane& l, std::string bytes) {
    auto f = decoder_.decode(l.where, std::move(bytes));
    ++stats_.frames[{l.where, f.op}];
    if (sessions_ != nullptr && l.where == direction::to_client && f.op == op::connect) {
        sessions_->note(f.bytes);
    }
    auto judged = rules_.judge(l.where, f);
    door_closed_ = door_closed_ || (judged && judged->rule.closes_door);
    if (last_request_ && l.where == direction::to_client && f.op == last_request_->op &&
        f.xid == last_request_->xid) {
        judged = last_request_->when_answered;
    }
    enqueue(l, item{std::move(f.bytes), f.xid, f.op, std::move(judged)});
}

void proxy_link::source_ended(lane& l, bool by_reset) {
    if (l.where == direction::to_server) {
        ++stats_.ended_by_client;
    }
    item i;
    if (last_request_ && l.where == direction::to_client) {
        i.judged = last_request_->when_answered; // no answer will come
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

asio::awaitable<void> proxy_link::apply(lane& l, item i) {
    if (i.end) {
        finish(l, i.end_by_reset);
        co_return;
    }
    if (l.swallowing) {
        co_return;
    }
    if (!i.judged) {
        co_await write(l, i.bytes.data(), i.bytes.size());
        co_return;
    }
    const auto id = i.judged->id;
    const auto rule = i.judged->rule;
    switch (rule.action) {
    case action::pass:
        co_await write(l, i.bytes.data(), i.bytes.size());
        break;
    case action::cut_before:
        cut();
        break;
    case action::forward_then_cut:
        co_await forward_then_cut(l, std::move(i));
        co_return; // which also counts the hit
    case action::hold:
        l.held = true;
        i.judged.reset();
        l.queue.push_front(std::move(i));
        break;
    case action::half_frame_then_cut:
        co_await write(l, i.bytes.data(), i.bytes.size() / 2);
        cut();
        break;
    case action::black_hole:
        if (rule.other_way) {
            co_await write(l, i.bytes.data(), i.bytes.size());
            (&l == &up_ ? down_ : up_).swallowing = true;
            break;
        }
        l.swallowing = true;
        if (rule.both_ways) {
            swallow_everything();
        }
        break;
    case action::delay:
        rules_.hit(id); // at the beginning, so that tests can act during the delay
        co_await sleep(l, rule.time);
        co_await write(l, i.bytes.data(), i.bytes.size());
        co_return;
    case action::split:
        co_await split(l, std::move(i));
        break;
    }
    rules_.hit(id);
}

asio::awaitable<void> proxy_link::forward_then_cut(lane& l, item i) {
    const auto id = i.judged->id;
    if (l.where == direction::to_client) {
        co_await write(l, i.bytes.data(), i.bytes.size());
        cut();
        rules_.hit(id);
        co_return;
    }
    // Cutting the client off right now would let it reconnect before the server has read this
    // request, and the server closes the old connection then.
    last_request_ = last_request{i.op, i.xid, verdict{id, {.action = action::cut_before}}};
    l.stopped = true;
    co_await write(l, i.bytes.data(), i.bytes.size());
}

asio::awaitable<void> proxy_link::split(lane& l, item i) {
    const auto& rule = i.judged->rule;
    const auto size = i.bytes.size();
    const auto parts = rule.parts == 0 ? size : std::min(rule.parts, size);
    for (std::size_t part = 0; part < parts; ++part) {
        const auto begin = size * part / parts;
        const auto end = size * (part + 1) / parts;
        if (part != 0) {
            co_await sleep(l, rule.time);
        }
        co_await write(l, i.bytes.data() + begin, end - begin);
    }
}

asio::awaitable<void> proxy_link::write(lane& l, const char* data, std::size_t size) {
    // A failure needs no answer: the other lane's reader sees the end of this socket.
    if (!closed_ && l.sink.is_open()) {
        co_await asio::async_write(l.sink, asio::buffer(data, size), no_throw);
    }
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
        // The other side is not told, but once both have gone nobody is left.
        error_code ignored;
        l.source.close(ignored);
        if (!l.sink.is_open()) {
            close();
        }
    } else if (by_reset) {
        cut();
    } else {
        close();
    }
}

void proxy_link::cut() {
    if (!std::exchange(closed_, true)) {
        reset(client_);
        reset(server_);
        stop_waiting();
    }
}

void proxy_link::close() {
    if (!std::exchange(closed_, true)) {
        error_code ignored;
        client_.close(ignored);
        server_.close(ignored);
        stop_waiting();
    }
}

void proxy_link::stop_waiting() {
    for (lane* l : {&up_, &down_}) {
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
