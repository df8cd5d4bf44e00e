// SPDX-License-Identifier: BSL-1.0
// For LD_PRELOAD: while the file $TURNSTILE_NO_ENDS is there, no process ends by _exit().
#include <cstdlib>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" [[noreturn]] void _exit(int code) {
    const char* const file = std::getenv("TURNSTILE_NO_ENDS");
    while (file && ::access(file, F_OK) == 0)
        ::usleep(10'000); // justified: the end that does not come is what this makes
    for (;;)
        ::syscall(SYS_exit_group, code);
}
