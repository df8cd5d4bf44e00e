// SPDX-License-Identifier: BSL-1.0
// For LD_PRELOAD: names of the form after-SECONDS.turnstile.test are this machine, told so late.
#include <cstdio>
#include <ctime>
#include <dlfcn.h>
#include <netdb.h>

extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints,
                           addrinfo** result) {
    using function = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
    const auto real = reinterpret_cast<function>(::dlsym(RTLD_NEXT, "getaddrinfo"));
    unsigned seconds = 0;
    int length = 0;
    if (!node || std::sscanf(node, "after-%u.turnstile.test%n", &seconds, &length) != 1 ||
        length == 0)
        return real(node, service, hints, result);
    const timespec time{static_cast<std::time_t>(seconds), 0};
    ::nanosleep(&time, nullptr);
    return real("127.0.0.1", service, hints, result);
}
