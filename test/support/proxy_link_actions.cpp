// SPDX-License-Identifier: BSL-1.0
// What the writer of a lane does to a frame, as the rule that fires for it says.
#include "proxy_link.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::test {

namespace asio = boost::asio;

asio::awaitable<void> proxy_link::apply(lane& l, item i) {
    if (i.end) {
        finish(l, i.end_by_reset);
        co_return;
    }
    if (l.swallowing)
        co_return;
    if (!i.judged) {
        co_await deliver(l, i);
        co_return;
    }
    const auto id = i.judged->id;
    const auto rule = i.judged->rule;
    switch (rule.action) {
    case action::pass:
    case action::wrong_bytes: // on_frame() has rewritten it
        co_await deliver(l, i);
        break;
    case action::cut_before:
        cut();
        break;
    case action::cut_after:
        co_await cut_after(l, std::move(i));
        co_return; // cut_after() counts the hit, or the reply does
    case action::hold:
        l.held = true;
        i.judged.reset();
        l.queue.push_front(std::move(i));
        break;
    case action::cut_within:
        co_await write(l, i.bytes.data(), i.bytes.size() / 2);
        cut();
        break;
    case action::lose:
        if (i.tells_gone != nullptr)
            told_.notes->lost(number_, decoder_.session(), i.path);
        break;
    case action::black_hole:
        if (rule.other_way) {
            co_await deliver(l, i);
            (&l == &up_ ? down_ : up_).swallowing = true;
            break;
        }
        l.swallowing = true;
        if (rule.both_ways)
            swallow_everything();
        break;
    case action::delay:
        rules_.hit(id); // at the beginning, so that tests can act during the delay
        co_await sleep(l, rule.time);
        co_await deliver(l, i);
        co_return;
    case action::split:
        co_await split(l, std::move(i));
        break;
    }
    rules_.hit(id);
}

asio::awaitable<void> proxy_link::deliver(lane& l, const item& i) {
    co_await write(l, i.bytes.data(), i.bytes.size());
    note_delivery(i);
}

asio::awaitable<void> proxy_link::cut_after(lane& l, item i) {
    const auto id = i.judged->id;
    if (l.where == direction::to_client) {
        co_await write(l, i.bytes.data(), i.bytes.size());
        cut();
        rules_.hit(id);
        co_return;
    }
    // A cut now would let the client reconnect before the server has read this request. The server
    // would close the old connection then, and never read it.
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
        if (part != 0)
            co_await sleep(l, rule.time);
        co_await write(l, i.bytes.data() + begin, end - begin);
    }
    note_delivery(i);
}

} // namespace turnstile::test
