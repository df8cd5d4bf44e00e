// SPDX-License-Identifier: BSL-1.0
// Virtual time: what happens when, in one order for one seed.
#pragma once

#include "protocol/time/instant.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace turnstile::test {

class event_queue {
public:
    using action = std::function<void()>;

    explicit event_queue(protocol::instant begin = {}) : now_(begin) {}

    protocol::instant now() const { return now_; }

    void at(protocol::instant when, action what) {
        pending_.emplace(std::max(when, now_), std::move(what));
    }
    void after(protocol::duration delay, action what) { at(now_ + delay, std::move(what)); }

    /// When the next action is due.
    std::optional<protocol::instant> next() const {
        return pending_.empty() ? std::nullopt : std::optional{pending_.begin()->first};
    }

    /// Runs the next action, if it is due by `limit`. Equal instants run in the order of at().
    bool step(protocol::instant limit) {
        if (pending_.empty() || pending_.begin()->first > limit)
            return false;
        now_ = pending_.begin()->first;
        const auto what = std::move(pending_.begin()->second);
        pending_.erase(pending_.begin());
        what();
        return true;
    }

private:
    protocol::instant now_;
    std::multimap<protocol::instant, action> pending_;
};

} // namespace turnstile::test
