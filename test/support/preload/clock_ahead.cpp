// SPDX-License-Identifier: BSL-1.0
// For LD_PRELOAD: a clock that is ahead by as many seconds as the variable CLOCK_AHEAD says.
#include <cstdlib>
#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>

namespace {

time_t ahead() {
    static const char* const text = std::getenv("CLOCK_AHEAD");
    static const time_t seconds = text ? std::atol(text) : 0;
    return seconds;
}

template <class Function>
Function real(const char* name) {
    return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

} // namespace

extern "C" int gettimeofday(timeval* now, void* zone) noexcept {
    static const auto call = real<int (*)(timeval*, void*)>("gettimeofday");
    const int result = call(now, zone);
    now->tv_sec += ahead();
    return result;
}

extern "C" int clock_gettime(clockid_t which, timespec* now) noexcept {
    static const auto call = real<int (*)(clockid_t, timespec*)>("clock_gettime");
    const int result = call(which, now);
    if (which == CLOCK_REALTIME)
        now->tv_sec += ahead();
    return result;
}

extern "C" time_t time(time_t* to) noexcept {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    if (to)
        *to = now.tv_sec;
    return now.tv_sec;
}
