// SPDX-License-Identifier: BSL-1.0
// left_over KIND FILE: a job that heeds no signal but SIGKILL. As long as it is there, it has FILE
// locked (flock), and once all is as KIND says, there is FILE.ready. It ends when there is
// FILE.end.
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>

namespace {

pid_t traced = 0; // 0: none

[[noreturn]] void work(const std::string& file) {
    ::close(::open((file + ".ready").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0666));
    while (::access((file + ".end").c_str(), F_OK) != 0 &&
           ::access(file.c_str(), F_OK) == 0) // gone with the test
        ::poll(nullptr, 0, 10);
    if (traced > 0)
        ::kill(traced, SIGKILL);
    ::_exit(0);
}

} // namespace

int main(int count, char** words) {
    if (count != 3)
        return 120;
    const std::string_view kind = words[1];
    const std::string file = words[2];
    for (const int each : {SIGTERM, SIGINT, SIGHUP, SIGUSR1})
        std::signal(each, SIG_IGN);
    const int locked = ::open(file.c_str(), O_CREAT | O_RDWR, 0666);
    if (locked < 0 || ::flock(locked, LOCK_EX | LOCK_NB) != 0) {
        std::perror(words[2]);
        return 1;
    }
    if (kind == "root") { // the program is set-user-ID
        if (::setuid(0) != 0)
            return 1;
    } else if (kind == "daemon") {
        if (::fork() != 0)
            ::_exit(0);
        ::setsid();
        if (::fork() != 0)
            ::_exit(0);
    } else if (kind == "grandchild") {
        for (int i = 0; i < 2; ++i)
            if (::fork() != 0)
                ::_exit(0);
    } else if (kind == "thread") {
        std::thread([file, first = ::pthread_self()] {
            ::pthread_join(first, nullptr);
            work(file);
        }).detach();
        ::pthread_exit(nullptr);
    } else if (kind == "traced") { // and stopped
        traced = ::fork();
        if (traced == 0) {
            ::ptrace(PTRACE_TRACEME);
            std::raise(SIGSTOP);
            ::pause();
        }
        int status = 0;
        if (::waitpid(traced, &status, WUNTRACED) != traced || !WIFSTOPPED(status))
            return 1;
    }
    work(file);
}
