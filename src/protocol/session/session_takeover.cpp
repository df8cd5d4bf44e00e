// SPDX-License-Identifier: BSL-1.0
#include "protocol/session/session_takeover.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace turnstile::protocol {

namespace {

using namespace std::chrono_literals;

constexpr duration shortest_patience = 100ms;
constexpr duration shortest_pause = 20ms;
constexpr duration longest_pause = 2s;

} // namespace

session_takeover::session_takeover(std::size_t servers, duration timeout, bool keeps,
                                   random_source random, instant now)
    : servers_(servers),
      timeout_(timeout),
      keeps_(keeps),
      random_(std::move(random)),
      until_(keeps ? instant::max() : now + 2 * timeout),
      server_(random_() % servers),
      patience_(std::max(timeout / 16, shortest_patience)),
      backoff_(shortest_pause, longest_pause) {}

bool session_takeover::on_connected() {
    kept_ = keeps_;
    return !keeps_;
}

std::optional<duration> session_takeover::on_disconnected(disconnect_reason why, instant now) {
    using enum disconnect_reason;
    const bool is_first = !std::exchange(was_tried_, true);
    if (why == expired)
        return end(failure::none);
    // At the first attempt this is a bad setting. Later a file of TLS may be written just now.
    if (why == unusable && is_first)
        return end(failure::bad_options);
    if (why == not_restored) // each further attempt would make a new session
        return end(failure::unreachable);
    // The connection that has kept the session was dropped: the next one comes a quarter of the
    // timeout later.
    if (std::exchange(kept_, false)) {
        tried_ = 0;
        backoff_.reset();
        return timeout_ / 4;
    }
    // The close was sent: the same server is asked at once whether the session is gone.
    const bool is_closed = why == closed && !std::exchange(closed_, true);
    if (why == one_address || why == refused_once || is_closed)
        return duration::zero();
    return try_next(now);
}

// The first round is short for each server, so that one that is gone costs little. Each later round
// gives more time.
std::optional<duration> session_takeover::try_next(instant now) {
    if (now >= until_)
        return end(failure::unreachable);
    server_ = (server_ + 1) % servers_;
    if (++tried_ < servers_)
        return duration::zero();
    tried_ = 0;
    patience_ = std::min(2 * patience_, std::max(timeout_ / 4, shortest_patience));
    return backoff_.next(random_); // many sessions may end at one instant
}

std::optional<duration> session_takeover::end(failure why) {
    result_ = why;
    return std::nullopt;
}

} // namespace turnstile::protocol
