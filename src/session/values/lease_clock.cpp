// SPDX-License-Identifier: BSL-1.0
#include "session/values/stopped_clock.hpp"

#include <atomic>
#include <ctime>
#include <stdexcept>

namespace turnstile {

namespace {

// Where the clock stands, in nanoseconds since its epoch; 0 while it runs.
std::atomic<lease_clock::rep> stopped_at{0};

} // namespace

lease_clock::time_point lease_clock::now() noexcept {
    if (const auto at = stopped_at.load(std::memory_order_relaxed); at != 0) [[unlikely]]
        return time_point{duration{at}};
    timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    return time_point{std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec}};
}

namespace detail {

stopped_clock::stopped_clock() {
    lease_clock::rep running = 0;
    if (!stopped_at.compare_exchange_strong(running, lease_clock::now().time_since_epoch().count()))
        throw std::logic_error(
            "turnstile::testing: a process has one ensemble at a time, since all "
            "sessions share the lease clock: destroy the first one before");
}

stopped_clock::~stopped_clock() { stopped_at.store(0, std::memory_order_relaxed); }

void stopped_clock::set(lease_clock::time_point now) noexcept {
    stopped_at.store(now.time_since_epoch().count(), std::memory_order_relaxed);
}

} // namespace detail

} // namespace turnstile
