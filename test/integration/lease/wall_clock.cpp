// SPDX-License-Identifier: BSL-1.0
#include "wall_clock.hpp"

#include <atomic>
#include <cstdint>
#include <ctime>

#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

namespace {

std::atomic<std::int64_t> wrong_by{0}; // seconds

} // namespace

// Programs and libraries alike call these instead of the C library's.
extern "C" {

int clock_gettime(clockid_t which, timespec* now) noexcept {
    const auto result = static_cast<int>(::syscall(SYS_clock_gettime, which, now));
    if (result == 0 && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE))
        now->tv_sec += wrong_by.load(std::memory_order_relaxed);
    return result;
}

int gettimeofday(timeval* now, void* /*timezone*/) noexcept {
    timespec precise{};
    ::clock_gettime(CLOCK_REALTIME, &precise);
    now->tv_sec = precise.tv_sec;
    now->tv_usec = precise.tv_nsec / 1'000;
    return 0;
}

time_t time(time_t* now) noexcept {
    timespec precise{};
    ::clock_gettime(CLOCK_REALTIME, &precise);
    if (now != nullptr)
        *now = precise.tv_sec;
    return precise.tv_sec;
}
}

namespace turnstile::test {

void wall_clock::set_wrong_by(std::chrono::seconds error) { wrong_by = error.count(); }

} // namespace turnstile::test
