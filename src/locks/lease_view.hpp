// The lease deadline as held locks read it, on any thread.
#pragma once

#include "protocol/instant.hpp"

#include <turnstile/lease_clock.hpp>

#include <atomic>

namespace turnstile::detail {

inline protocol::instant to_instant(lease_clock::time_point at) {
    return protocol::instant{at.time_since_epoch()};
}
inline lease_clock::time_point to_time_point(protocol::instant at) {
    return lease_clock::time_point{at.time_since_epoch()};
}

class lease_view {
public:
    void set(protocol::instant deadline, protocol::instant told) {
        deadline_.store(deadline.time_since_epoch().count(), std::memory_order_release);
        told_.store(told.time_since_epoch().count(), std::memory_order_release);
    }
    lease_clock::time_point deadline() const { return read(deadline_); }
    /// From here on the loss is told.
    lease_clock::time_point told() const { return read(told_); }

private:
    using count = std::atomic<protocol::duration::rep>;
    static lease_clock::time_point read(const count& at) {
        return lease_clock::time_point{lease_clock::duration{at.load(std::memory_order_acquire)}};
    }

    count deadline_{0};
    count told_{0};
};

} // namespace turnstile::detail
