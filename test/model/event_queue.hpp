// SPDX-License-Identifier: BSL-1.0
// Virtual time: actions and the instants at which they run, in one order for one seed.
#pragma once

#include "protocol/time/instant.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace turnstile::test {

/// The clock and the timers of one modelled run, whose owner owns it (`simulation`, or `ground` of
/// the test kit). Time stands still, but for step(), which sets it to the instant of the next
/// action. An action runs from step() alone, and never within at().
class event_queue {
public:
    using action = std::function<void()>;

    explicit event_queue(protocol::instant start = {}) : now_(start) {}

    protocol::instant now() const { return now_; }

    /// Runs the action at that instant, or at once if that is over.
    void at(protocol::instant when, action what) {
        pending_.emplace(std::max(when, now_), std::move(what));
    }
    void after(protocol::duration delay, action what) { at(now_ + delay, std::move(what)); }

    /// When the next action is due; nothing if there is none.
    std::optional<protocol::instant> next() const {
        return pending_.empty() ? std::nullopt : std::optional{pending_.begin()->first};
    }

    /// Runs the next action if it is due by `limit`, and returns whether it did. Actions of one
    /// instant run in the order in which at() was called.
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
