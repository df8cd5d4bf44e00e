// Pending instants of one machine, in order.
#pragma once

#include "protocol/instant.hpp"

#include <functional>
#include <map>
#include <optional>

namespace turnstile::protocol {

class timers {
public:
    using callback = std::function<void()>;
    using handle = std::multimap<instant, callback>::iterator;

    handle set(instant when, callback what) { return pending_.emplace(when, std::move(what)); }
    void cancel(handle timer) { pending_.erase(timer); }

    std::optional<instant> next() const {
        if (pending_.empty())
            return std::nullopt;
        return pending_.begin()->first;
    }

    /// Takes out the first callback that is due, so that it may set and cancel timers itself.
    std::optional<callback> pop(instant now) {
        if (pending_.empty() || pending_.begin()->first > now)
            return std::nullopt;
        auto what = std::move(pending_.begin()->second);
        pending_.erase(pending_.begin());
        return what;
    }

private:
    friend class machine_state;

    std::multimap<instant, callback> pending_;
};

/// One optional entry in a `timers`, cancelled when it goes.
class timer {
public:
    explicit timer(timers& owner) : owner_(owner) {}
    timer(const timer&) = delete;
    timer& operator=(const timer&) = delete;
    ~timer() { cancel(); }

    void set(instant when, timers::callback what) {
        cancel();
        entry_ = owner_.set(when, [this, what = std::move(what)] {
            entry_.reset();
            what();
        });
    }
    void cancel() {
        if (entry_)
            owner_.cancel(*entry_);
        entry_.reset();
    }
    bool pending() const { return entry_.has_value(); }
    std::optional<instant> due() const {
        return entry_ ? std::optional{(*entry_)->first} : std::nullopt;
    }

private:
    friend class machine_state;

    timers& owner_;
    std::optional<timers::handle> entry_;
};

} // namespace turnstile::protocol
