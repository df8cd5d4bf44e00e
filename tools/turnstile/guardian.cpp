#include "guardian.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <system_error>
#include <utility>

namespace turnstile::command {

namespace {

constexpr std::int64_t second = 1'000'000'000;

std::int64_t boot_time_now() {
    timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    return static_cast<std::int64_t>(now.tv_sec) * second + now.tv_nsec;
}

unique_fd checked(int fd, const char* what) {
    if (fd < 0)
        throw std::system_error(errno, std::generic_category(), what);
    return unique_fd(fd);
}

/// The terminal, if turnstile reads from it: the program takes turnstile's place there.
unique_fd own_terminal() {
    return ::tcgetpgrp(STDIN_FILENO) == ::getpgrp()
               ? unique_fd(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3))
               : unique_fd();
}

} // namespace

guardian::guardian(unique_fd turnstile, std::vector<std::string> argv, std::string lock)
    : turnstile_(std::move(turnstile)),
      argv_(std::move(argv)),
      lock_(std::move(lock)),
      terminal_(own_terminal()),
      terminal_owner_(::getpgrp()) {
    ::setpgid(0, 0); // what is sent to turnstile's group must not end its guardian
    ::prctl(PR_SET_NAME, "turnstile-guard");
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    sigset_t all;
    ::sigfillset(&all);
    ::sigprocmask(SIG_BLOCK, &all, &mask_);
    sigset_t child;
    ::sigemptyset(&child);
    ::sigaddset(&child, SIGCHLD);
    children_ = checked(::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK), "signalfd");
    deadline_ =
        checked(::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK), "timerfd_create");
}

// Only a group that outlives its leader is asked for now and then: nobody tells when it is empty.
int guardian::patience() const { return group_ != 0 && (ended_ || killed_) ? 10 : -1; }

void guardian::watch() {
    bool alone = false;
    while (!alone || group_ != 0) {
        std::array<pollfd, 3> all{{{turnstile_.get(), POLLIN, 0},
                                   {children_.get(), POLLIN, 0},
                                   {deadline_.get(), POLLIN, 0}}};
        if (::poll(all.data(), all.size(), patience()) < 0 && errno != EINTR)
            std::abort();
        // Orders come first: after a pause of this process, one may have put the deadline off.
        if (!alone && !take_orders()) {
            alone = true;
            turnstile_.reset(); // poll passes over a negative descriptor
            on_deadline();
        }
        if (is_over())
            on_deadline();
        on_child();
    }
}

/// Whether turnstile is still there.
bool guardian::take_orders() {
    guard_order what;
    ssize_t got = 0;
    while ((got = ::recv(turnstile_.get(), &what, sizeof what, MSG_DONTWAIT)) == sizeof what)
        on_order(what);
    return got < 0 && (errno == EAGAIN || errno == EINTR);
}

bool guardian::is_over() const { return kill_at_ != 0 && boot_time_now() >= kill_at_; }

void guardian::on_order(const guard_order& what) {
    switch (what.what) {
    case guard_order::kind::start:
        return start(what);
    case guard_order::kind::kill_at:
        return kill_at(what.value);
    case guard_order::kind::signal:
        return signal_group(static_cast<int>(what.value));
    }
}

void guardian::start(const guard_order& what) {
    if (killed_ || is_over())
        return refuse(ECANCELED);
    if (terminal_ && ::tcgetpgrp(terminal_.get()) != terminal_owner_)
        terminal_.reset(); // somebody put turnstile into the background
    const pid_t program = ::fork();
    if (program < 0)
        return refuse(errno);
    if (program == 0)
        become_program(what);
    ::setpgid(program, program); // both sides do it: whoever comes first
    group_ = program;
    report(guard_report::kind::started, program);
}

void guardian::refuse(int error) const {
    report(guard_report::kind::not_started, error);
    report(guard_report::kind::empty);
}

void guardian::become_program(const guard_order& what) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL); // should somebody kill the guardian
    if (terminal_)
        ::tcsetpgrp(terminal_.get(), ::getpid()); // SIGTTOU is still blocked
    ::sigprocmask(SIG_SETMASK, &mask_, nullptr);  // signals that came meanwhile have waited
    ::setenv("TURNSTILE_LOCK", lock_.c_str(), 1);
    if (what.token[0] != '\0')
        ::setenv("TURNSTILE_FENCING_TOKEN", what.token.data(), 1);
    else
        ::unsetenv("TURNSTILE_FENCING_TOKEN"); // of a turnstile around this one
    std::vector<char*> argv;
    for (auto& each : argv_)
        argv.push_back(each.data());
    argv.push_back(nullptr);
    ::execvp(argv.front(), argv.data());
    report(guard_report::kind::not_started, errno);
    ::_exit(127);
}

void guardian::kill_at(std::int64_t boot_time) {
    kill_at_ = boot_time;
    const itimerspec when{
        .it_interval = {},
        .it_value = {.tv_sec = boot_time / second, .tv_nsec = boot_time % second}};
    ::timerfd_settime(deadline_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
}

// Also where turnstile has gone.
void guardian::on_deadline() {
    kill_at(0);
    killed_ = true;
    if (group_ != 0) {
        // Before the signal: turnstile must hear of it before it hears of the program's end.
        report(guard_report::kind::killed);
        signal_group(SIGKILL);
    }
}

void guardian::on_child() {
    std::array<signalfd_siginfo, 8> told;
    while (::read(children_.get(), told.data(), sizeof told) > 0) {
    }
    int status = 0;
    pid_t which = 0;
    bool ended_now = false;
    while ((which = ::waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0) {
        if (which != group_)
            continue; // an orphan
        if (WIFSTOPPED(status)) {
            on_stop(WSTOPSIG(status));
        } else {
            ended_ = ended_now = true;
            report(guard_report::kind::ended, status);
        }
    }
    if (ended_ && group_ != 0 && look_for_group() && ended_now)
        report(guard_report::kind::left);
}

// No shell is there to wake a program that Ctrl-Z stopped, and the lock would be lost.
void guardian::on_stop(int signal) {
    if (terminal_ && signal == SIGTSTP)
        signal_group(SIGCONT);
}

bool guardian::look_for_group() {
    if (::kill(-group_, 0) == 0 || errno != ESRCH) {
        if (killed_)
            signal_group(SIGKILL); // whoever was just being forked
        return true;
    }
    if (terminal_ && ::tcgetpgrp(terminal_.get()) == group_)
        ::tcsetpgrp(terminal_.get(), terminal_owner_);
    group_ = 0;
    report(guard_report::kind::empty);
    return false;
}

void guardian::signal_group(int number) const {
    if (group_ != 0)
        ::kill(-group_, number);
}

void guardian::report(guard_report::kind what, int value) const {
    if (!turnstile_)
        return;
    const guard_report message{what, value};
    // A turnstile that stands still must not stop its guardian; a few messages always fit.
    ::send(turnstile_.get(), &message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

} // namespace turnstile::command
