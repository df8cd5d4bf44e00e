// SPDX-License-Identifier: BSL-1.0
#include "guardian.hpp"

#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <set>
#include <system_error>
#include <utility>

namespace turnstile::command {

namespace {

constexpr std::int64_t second = 1'000'000'000;

// What a program that ended by itself leaves behind has so long to end by itself, too, or to become
// a daemon.
constexpr std::int64_t moment = second;

constexpr std::size_t most_message_bytes = 64 * 1024;

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

} // namespace

guardian::guardian(unique_fd turnstile, program_plan plan)
    : turnstile_(std::move(turnstile)),
      plan_(std::move(plan)),
      terminal_(::open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)),
      turnstile_group_(::getpgrp()) {
    ::setpgid(0, 0); // what is sent to turnstile's group must not end its guardian
    ::prctl(PR_SET_NAME, "turnstile-run");
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

// Nobody tells when a descendant ends that is no child, or who comes into the foreground.
int guardian::patience() const {
    if (phase_ == phase::clearing)
        return boot_time_now() - ended_at_ < 2 * moment ? 10 : 100; // a look goes through /proc
    if (phase_ == phase::running && force_ == force::kill)
        return 10;
    return phase_ == phase::running && stopped_ ? 100 : -1;
}

void guardian::watch() {
    const auto idle = [this] { return phase_ == phase::waiting || phase_ == phase::over; };
    while (turnstile_ || !idle()) {
        std::array<pollfd, 3> all{{{turnstile_.get(), POLLIN, 0},
                                   {children_.get(), POLLIN, 0},
                                   {deadline_.get(), POLLIN, 0}}};
        if (::poll(all.data(), all.size(), patience()) < 0 && errno != EINTR)
            std::abort();
        // Orders come first: after a pause of this process, one may have put the deadline off.
        if (turnstile_ && !take_orders()) {
            turnstile_.reset(); // poll passes over a negative descriptor
            spares_daemons_ = false;
            on_deadline();
        }
        if (is_over())
            on_deadline();
        on_child();
        wake_in_foreground();
    }
    end_session();
}

/// Whether turnstile is still there.
bool guardian::take_orders() {
    std::array<char, most_message_bytes> message;
    ssize_t got = 0;
    while ((got = ::recv(turnstile_.get(), message.data(), message.size(), MSG_DONTWAIT)) > 0)
        on_message({message.data(), static_cast<std::size_t>(got)});
    return got < 0 && (errno == EAGAIN || errno == EINTR);
}

void guardian::on_message(std::string_view message) {
    if (auto key = session_key::parse(message)) {
        session_ = std::move(key);
    } else if (guard_order what; message.size() == sizeof what) {
        std::memcpy(&what, message.data(), sizeof what);
        on_order(what);
    }
}

// Not before all that works under the lock has gone.
void guardian::end_session() {
    if (!session_)
        return; // turnstile has closed it
    // Who reads what turnstile wrote need not wait for the servers.
    for (const int each : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        ::close(each);
    boost::asio::io_context context(1);
    turnstile::end_session(context.get_executor(), *session_, boost::asio::detached);
    context.run();
}

bool guardian::is_over() const { return kill_at_ != 0 && boot_time_now() >= kill_at_; }

void guardian::on_order(const guard_order& what) {
    switch (what.what) {
    case guard_order::kind::start:
        return start(what);
    case guard_order::kind::kill_at:
        return kill_at(what.value);
    case guard_order::kind::signal:
        return on_signal(static_cast<int>(what.value), what.from_terminal);
    case guard_order::kind::end:
        return end(true);
    case guard_order::kind::clear:
        return end(false);
    case guard_order::kind::no_session:
        return session_.reset();
    }
}

void guardian::start(const guard_order& what) {
    if (force_ == force::kill || is_over())
        return refuse(ECANCELED);
    program_ = ::fork();
    if (program_ < 0)
        return refuse(errno);
    if (program_ == 0)
        become_program(what);
    if (!terminal_)
        ::setpgid(program_, program_); // both sides do it: whoever comes first
    phase_ = phase::running;
    report(guard_report::kind::started);
    // They are the program's. Who reads what the program writes need not wait for this process.
    for (const int each : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        ::close(each);
}

void guardian::refuse(int error) {
    report(guard_report::kind::not_started, error);
    report(guard_report::kind::empty);
}

// On a terminal the program stays in turnstile's process group. So it may read from the terminal,
// and Ctrl-C reaches the shell around turnstile as well.
void guardian::become_program(const guard_order& what) {
    ::setpgid(0, terminal_ ? turnstile_group_ : 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);          // should somebody kill the guardian
    ::sigprocmask(SIG_SETMASK, &mask_, nullptr); // signals that came meanwhile have waited
    for (const auto& [name, value] : plan_.environment)
        ::setenv(name.c_str(), value.c_str(), 1);
    std::array<char, 24> session{};
    std::snprintf(session.data(), session.size(), "0x%" PRIx64, // as `show --json` has it
                  static_cast<std::uint64_t>(what.value));
    ::setenv("TURNSTILE_SESSION", session.data(), 1);
    if (what.token[0] != '\0')
        ::setenv("TURNSTILE_FENCING_TOKEN", what.token.data(), 1);
    else
        ::unsetenv("TURNSTILE_FENCING_TOKEN"); // of a turnstile around this one
    std::vector<char*> argv;
    for (auto& each : plan_.argv)
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
    if (force_ == force::none)
        spares_daemons_ = false; // turnstile stands still, and others may get the lock now
    force_ = force::kill;
    if (phase_ != phase::running && phase_ != phase::clearing)
        return;
    // Before the signal: turnstile must hear of it before it hears of the program's end.
    report(guard_report::kind::killed);
    signal_all(SIGKILL);
}

void guardian::on_signal(int number, bool from_terminal) {
    if (asks_to_end(number))
        spares_daemons_ = false;
    // A program that has left the foreground's group has heard nothing.
    if (!from_terminal || (phase_ == phase::running && ::getpgid(program_) != turnstile_group_))
        signal_group(number);
}

void guardian::on_child() {
    std::array<signalfd_siginfo, 8> told;
    while (::read(children_.get(), told.data(), sizeof told) > 0) {
    }
    int status = 0;
    pid_t which = 0;
    while ((which = ::waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0) {
        if (which != program_ || phase_ != phase::running)
            continue; // an orphan
        if (WIFSTOPPED(status))
            on_stop(WSTOPSIG(status));
        else
            on_end(status);
    }
    if (phase_ == phase::clearing)
        look_for_rest(which < 0 && errno == ECHILD);
    else if (phase_ == phase::running && force_ == force::kill)
        signal_all(SIGKILL); // those that were just being forked
}

void guardian::on_end(int status) {
    phase_ = phase::clearing;
    ended_at_ = boot_time_now();
    if (WIFSIGNALED(status))
        spares_daemons_ = false; // it did not end by itself
    report(guard_report::kind::ended, status);
}

// No shell is there to wake a program that Ctrl-Z stopped, and the lock would be lost.
void guardian::on_stop(int signal) {
    if (signal == SIGTSTP && terminal_)
        signal_group(SIGCONT);
    if (signal != SIGTTIN && signal != SIGTTOU)
        return;
    stopped_ = true;
    wake_in_foreground();
    if (stopped_)
        report(guard_report::kind::stopped);
}

// A shell wakes only those of whom it knows that they stand still. It sees turnstile run.
void guardian::wake_in_foreground() {
    if (!stopped_ || phase_ != phase::running ||
        ::tcgetpgrp(terminal_.get()) != ::getpgid(program_))
        return;
    stopped_ = false;
    signal_group(SIGCONT);
}

/// `none_at_all`: this process has no child, and so no descendant.
void guardian::look_for_rest(bool none_at_all) {
    const auto rest = none_at_all ? std::vector<process>() : those_to_end();
    // A process whose parent ends during a look may be missed by that one.
    empty_looks_ = rest.empty() ? empty_looks_ + 1 : 0;
    if (none_at_all || empty_looks_ == 2) {
        phase_ = phase::over;
        report(guard_report::kind::empty);
    } else if (force_ == force::kill) {
        signal_all(SIGKILL);
    } else if (!told_left_ && (!spares_daemons_ || boot_time_now() - ended_at_ >= moment)) {
        const auto living = std::ranges::count(rest, false, &process::zombie);
        told_left_ = living > 0;
        if (told_left_)
            report(guard_report::kind::left, static_cast<int>(living));
    }
}

void guardian::end(bool daemons_too) {
    if (phase_ == phase::waiting || phase_ == phase::over)
        return;
    if (daemons_too)
        spares_daemons_ = false;
    // Who loses its parent from now on is an orphan, and no daemon.
    for (const auto& each : descendants_of(::getpid()))
        if (force_ == force::none && is_daemon(each))
            spared_.push_back(each.session);
    force_ = std::max(force_, force::term);
    signal_all(SIGTERM);
    signal_all(SIGCONT); // who stands still would not hear it
}

/// One that has a session of its own, and whose parent has ended.
bool guardian::is_daemon(const process& child) const {
    if (child.parent != ::getpid() || child.id == program_)
        return false;
    if (force_ == force::none)
        return child.session != ::getsid(0) && child.session != program_;
    return std::ranges::find(spared_, child.session) != spared_.end();
}

std::vector<process> guardian::those_to_end() const {
    auto result = descendants_of(::getpid());
    std::set<pid_t> spared;
    std::erase_if(result, [&](const process& each) {
        const bool is_spared = spared.contains(each.parent) || (spares_daemons_ && is_daemon(each));
        if (is_spared)
            spared.insert(each.id);
        return is_spared;
    });
    return result;
}

void guardian::signal_group(int number) const {
    if (phase_ == phase::waiting || phase_ == phase::over)
        return;
    const auto group = terminal_ ? turnstile_group_ : program_;
    const auto now = phase_ == phase::running ? ::getpgid(program_) : group;
    for (const auto& each : descendants_of(::getpid()))
        if (each.group == now)
            send_signal(each, number);
}

void guardian::signal_all(int number) const {
    for (const auto& each : those_to_end())
        send_signal(each, number);
}

void guardian::report(guard_report::kind what, int value) const {
    if (!turnstile_)
        return;
    const guard_report message{what, value};
    // A turnstile that stands still must not stop its guardian; a few messages always fit.
    ::send(turnstile_.get(), &message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

} // namespace turnstile::command
