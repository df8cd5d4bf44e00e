// SPDX-License-Identifier: BSL-1.0
// Learns how large a request the servers take.
#pragma once

#include "protocol/time/instant.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>

namespace turnstile::protocol {

/// A server cuts the connection at a request larger than its jute.maxbuffer, without a word, and
/// the request would be sent again on the next one, for ever. Three cuts in a row while such a
/// request is open say that it is too large. Requests of about its size are then refused for a
/// minute: each would disturb all locks of the session, but the network may have been to blame.
class size_limit {
public:
    bool refuses(std::size_t bytes, instant now) const {
        return bytes + alike >= least_ && now < until_;
    }
    void on_answer(std::size_t bytes) {
        if (bytes >= smallest_)
            forget();
    }
    /// The server has cut the connection while the largest open request was of this size. True:
    /// requests of this size are refused from now on.
    bool on_cut(std::size_t largest, instant now) {
        if (largest < suspicious)
            return false;
        smallest_ = std::min(smallest_, largest);
        if (++cuts_ < most_cuts)
            return false;
        least_ = smallest_;
        until_ = now + std::chrono::minutes(1);
        forget();
        return true;
    }
    /// Requests of this many bytes or more are refused now, or were refused last; 0: none ever was.
    std::size_t least_refused() const { return until_ == instant{} ? 0 : least_; }

private:
    static constexpr std::size_t suspicious = 2048; // no server that works takes less
    static constexpr unsigned most_cuts = 3;
    // Two tickets of one acquire differ by the digits of their names and of the time in them.
    static constexpr std::size_t alike = 32;
    static constexpr auto none = std::numeric_limits<std::size_t>::max();

    void forget() {
        cuts_ = 0;
        smallest_ = none;
    }

    unsigned cuts_ = 0;
    std::size_t smallest_ = none; // of the largest requests at the cuts in a row
    std::size_t least_ = none;
    instant until_{};
};

} // namespace turnstile::protocol
