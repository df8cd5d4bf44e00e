// SPDX-License-Identifier: BSL-1.0
// The timers of one machine, in the order of their instants.
#pragma once

#include "protocol/time/instant.hpp"

#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace turnstile::protocol {

class timer;

class timers {
public:
    using callback = std::function<void()>;

    std::optional<instant> next() const {
        if (pending_.empty())
            return std::nullopt;
        return pending_.begin()->first;
    }

    /// Takes each callback out before the call, so that it may set and cancel timers itself.
    void run_due(instant now);

private:
    friend class timer;

    struct entry {
        timer* of;
        callback what;
    };
    using entries = std::multimap<instant, entry>;

    entries pending_;
};

/// One optional entry in a `timers`, cancelled when it goes. Two words while there is none: most
/// tickets have several, and need one at a time.
class timer {
public:
    using callback = timers::callback;

    explicit timer(timers& owner) : owner_(owner), entry_(owner.pending_.end()) {}
    timer(const timer&) = delete;
    timer& operator=(const timer&) = delete;
    ~timer() { cancel(); }

    void set(instant when, callback what) {
        cancel();
        entry_ = owner_.pending_.emplace(when, timers::entry{this, std::move(what)});
    }
    void cancel() {
        if (pending())
            owner_.pending_.erase(std::exchange(entry_, owner_.pending_.end()));
    }
    bool pending() const { return entry_ != owner_.pending_.end(); }
    std::optional<instant> due() const {
        return pending() ? std::optional{entry_->first} : std::nullopt;
    }

private:
    friend class timers;

    timers& owner_;
    timers::entries::iterator entry_;
};

inline void timers::run_due(instant now) {
    while (!pending_.empty() && pending_.begin()->first <= now) {
        const auto what = std::move(pending_.begin()->second.what);
        pending_.begin()->second.of->cancel();
        what();
    }
}

} // namespace turnstile::protocol
