// SPDX-License-Identifier: BSL-1.0
// refusing CALL... -- PROGRAM ARGUMENT...: runs it where a sandbox refuses these system calls, as
// the seccomp profile of a container does.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace {

const std::map<std::string_view, int> known_calls{
    {"pidfd_open", SYS_pidfd_open},
    {"pidfd_send_signal", SYS_pidfd_send_signal},
    {"getdents64", SYS_getdents64},
    {"timerfd_create", SYS_timerfd_create},
};

sock_filter load(std::size_t member) {
    return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(member));
}

/// Goes on where the value is another one.
sock_filter unless(int value, unsigned char skipped) {
    return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(value), 0, skipped);
}

constexpr sock_filter refuse = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);

} // namespace

int main(int count, char** words) {
    std::vector<sock_filter> rules;
    int at = 1;
    for (; at < count && std::string_view(words[at]) != "--"; ++at) {
        rules.push_back(load(offsetof(seccomp_data, nr)));
        if (std::string_view(words[at]) == "subreaper") {
            rules.push_back(unless(SYS_prctl, 3));
            rules.push_back(load(offsetof(seccomp_data, args)));
            rules.push_back(unless(PR_SET_CHILD_SUBREAPER, 1));
        } else if (const auto found = known_calls.find(words[at]); found != known_calls.end()) {
            rules.push_back(unless(found->second, 1));
        } else {
            std::fprintf(stderr, "refusing: unknown: %s\n", words[at]);
            return 126;
        }
        rules.push_back(refuse);
    }
    rules.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    const sock_fprog program{static_cast<unsigned short>(rules.size()), rules.data()};
    // Root needs no such promise, and programs that are set-user-ID stay what they are.
    if (::geteuid() != 0)
        ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        std::perror("refusing");
        return 126;
    }
    ::execvp(words[at + 1], words + at + 1);
    std::perror(words[at + 1]);
    return 127;
}
