// SPDX-License-Identifier: BSL-1.0
// For LD_PRELOAD: while the file $TURNSTILE_NO_WATCHES is there, epoll watches no more descriptors.
#include <cerrno>
#include <cstdlib>
#include <dlfcn.h>
#include <sys/epoll.h>
#include <unistd.h>

extern "C" int epoll_ctl(int on, int what, int descriptor, epoll_event* how) noexcept {
    using function = int (*)(int, int, int, epoll_event*);
    const auto real = reinterpret_cast<function>(::dlsym(RTLD_NEXT, "epoll_ctl"));
    const char* const file = std::getenv("TURNSTILE_NO_WATCHES");
    if (what == EPOLL_CTL_ADD && file && ::access(file, F_OK) == 0) {
        errno = ENOSPC;
        return -1;
    }
    return real(on, what, descriptor, how);
}
