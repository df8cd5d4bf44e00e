// Pending instants of one machine, in order.
#pragma once

#include "protocol/memory/kept_memory.hpp"
#include "protocol/time/instant.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace turnstile::protocol {

class timer;

class timers {
public:
    std::optional<instant> next() const {
        if (pending_.empty())
            return std::nullopt;
        return pending_.begin()->first;
    }

    /// Takes out the first callback that is due, so that it may set and cancel timers itself.
    std::optional<std::function<void()>> pop(instant now);

    /// All that it remembers.
    const auto& snapshot() const { return pending_; }

private:
    friend class timer;

    // Some are set and cancelled with each lock that is taken and released.
    static constexpr std::size_t most_kept = 8;
    using entries = std::multimap<instant, timer*, std::less<instant>,
                                  kept_memory<std::pair<const instant, timer*>, most_kept>>;

    entries pending_;
};

/// One optional entry in a `timers`, cancelled when it goes.
class timer {
public:
    using callback = std::function<void()>;

    explicit timer(timers& owner) : owner_(owner) {}
    timer(const timer&) = delete;
    timer& operator=(const timer&) = delete;
    ~timer() { cancel(); }

    void set(instant when, callback what) {
        cancel();
        entry_ = owner_.pending_.emplace(when, this);
        what_ = std::move(what);
    }
    void cancel() {
        if (entry_)
            owner_.pending_.erase(*std::exchange(entry_, std::nullopt));
    }
    timers& owner() const { return owner_; }
    bool pending() const { return entry_.has_value(); }
    std::optional<instant> due() const {
        return entry_ ? std::optional{(*entry_)->first} : std::nullopt;
    }

private:
    friend class timers;

    timers& owner_;
    std::optional<timers::entries::iterator> entry_;
    callback what_;
};

inline std::optional<std::function<void()>> timers::pop(instant now) {
    if (pending_.empty() || pending_.begin()->first > now)
        return std::nullopt;
    auto& due = *pending_.begin()->second;
    due.cancel();
    return std::exchange(due.what_, nullptr);
}

} // namespace turnstile::protocol
