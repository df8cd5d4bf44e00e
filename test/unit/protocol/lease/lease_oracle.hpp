// SPDX-License-Identifier: BSL-1.0
// The two-write rule as the design words it, without any thought of cost.
#pragma once

#include "protocol/time/instant.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace turnstile::test {

class lease_oracle {
public:
    explicit lease_oracle(std::optional<protocol::duration> tick) : tick_(tick) {}

    void connected(protocol::instant handshake_began, protocol::instant now,
                   protocol::duration negotiated) {
        timeout_ = timeout_ ? std::min(*timeout_, negotiated) : negotiated;
        requests_ = {{.sent = handshake_began, .answered = now, .write = false}};
        handshake_ = handshake_began;
    }

    void disconnected() {
        requests_.clear();
        handshake_.reset();
    }

    void answered(protocol::instant sent, protocol::instant now, bool write) {
        requests_.push_back({sent, now, write});
        if (!write)
            return;
        if (handshake_)
            prove(*handshake_);
        auto gap = *timeout_ * 3 / 8;
        if (tick_ && 2 * *tick_ < *timeout_)
            gap = *tick_ * 3 / 4;
        const auto& w2 = requests_.back();
        for (const auto& r : requests_)
            for (const auto& w1 : requests_)
                if (w1.write && w1.sent >= r.answered + gap && w2.sent >= w1.answered)
                    prove(r.sent);
    }

    std::optional<protocol::instant> deadline() const {
        return newest_ ? std::optional{*newest_ + *timeout_} : std::nullopt;
    }

private:
    struct request {
        protocol::instant sent;
        protocol::instant answered;
        bool write;
    };

    void prove(protocol::instant sent) { newest_ = newest_ ? std::max(*newest_, sent) : sent; }

    const std::optional<protocol::duration> tick_;
    std::optional<protocol::duration> timeout_;
    std::optional<protocol::instant> newest_;
    std::optional<protocol::instant> handshake_;
    std::vector<request> requests_; // of this connection
};

} // namespace turnstile::test
