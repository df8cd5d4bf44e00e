#include <turnstile/lease_clock.hpp>

#include <ctime>

namespace turnstile {

lease_clock::time_point lease_clock::now() noexcept {
    timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    return time_point{std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec}};
}

} // namespace turnstile
