// SPDX-License-Identifier: BSL-1.0
#include "program/guardian.hpp"

#include "command_failure.hpp"
#include "text/say.hpp"

#include <boost/asio/detached.hpp>

#include <fmt/core.h>

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
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <set>
#include <utility>

namespace turnstile::command {

namespace {

constexpr std::int64_t second = 1'000'000'000;

// If the program ended by itself, the processes that outlive it are left alone for this time: they
// may end, too, or become daemons.
constexpr std::int64_t settling_time = second;

// A message may have the reason of a `turnstile yield` in it.
constexpr std::size_t most_message_bytes = 256 * 1024;

std::int64_t boot_time_now() {
    timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    return static_cast<std::int64_t>(now.tv_sec) * second + now.tv_nsec;
}

unique_fd checked(int fd, const char* what) {
    if (fd < 0)
        throw failure_of_call(what);
    return unique_fd(fd);
}

} // namespace

command_failure failure_of_call(const char* what) {
    return {exit_code::failed,
            fmt::format("cannot guard the command: {}: {}\n"
                        "The kernel or a sandbox (the seccomp profile of a container, say) refuses "
                        "it. Allow it.",
                        what, std::strerror(errno))};
}

guardian::guardian(unique_fd turnstile, program_plan plan)
    : turnstile_(std::move(turnstile)),
      plan_(std::move(plan)),
      terminal_(::open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)),
      turnstile_group_(::getpgrp()) {
    sigset_t child;
    ::sigemptyset(&child);
    ::sigaddset(&child, SIGCHLD);
    children_ = checked(::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK), "signalfd");
    deadline_ =
        checked(::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK), "timerfd_create");
}

// The kernel does not report the end of a descendant that is no child, nor a change of the
// foreground. So the guardian looks for these from time to time.
int guardian::poll_timeout() const {
    if (phase_ == phase::clearing)
        return boot_time_now() - ended_at_ < 2 * settling_time ? 10 : 100; // a look reads /proc
    if (phase_ == phase::running && force_ == force::kill)
        return 10;
    return phase_ == phase::running && stopped_ ? 100 : -1;
}

void guardian::watch() {
    ::setpgid(0, 0); // a signal to turnstile's group must not end its guardian
    ::prctl(PR_SET_NAME, "lock-guardian"); // nor may `killall turnstile`
    if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        std::abort(); // it worked in turnstile, so this cannot happen
    sigset_t all;
    ::sigfillset(&all);
    ::sigprocmask(SIG_BLOCK, &all, &mask_);
    while (turnstile_ || is_active()) {
        std::array<pollfd, 3> ready{{{turnstile_.get(), POLLIN, 0},
                                     {children_.get(), POLLIN, 0},
                                     {deadline_.get(), POLLIN, 0}}};
        if (::poll(ready.data(), ready.size(), poll_timeout()) < 0 && errno != EINTR)
            std::abort();
        // Orders come first: after a pause of this process, one may have put the deadline off.
        if (turnstile_ && !take_orders()) {
            turnstile_.reset(); // poll passes over a negative descriptor
            spares_daemons_ = false;
            on_deadline(); // turnstile has gone: all is killed, as at the deadline
        }
        if (deadline_has_come())
            on_deadline();
        on_child();
        wake_in_foreground();
        if (!turnstile_ && is_active())
            keep_session();
    }
    end_session();
}

bool guardian::take_orders() {
    std::vector<char> message(most_message_bytes); // a stack may be small
    ssize_t got = 0;
    while ((got = ::recv(turnstile_.get(), message.data(), message.size(), MSG_DONTWAIT)) > 0)
        on_message({message.data(), static_cast<std::size_t>(got)});
    return got < 0 && (errno == EAGAIN || errno == EINTR);
}

void guardian::on_message(std::string_view message) {
    if (auto key = session_key::parse(message)) {
        session_ = std::move(key);
    } else if (guard_order order; message.size() >= sizeof order) {
        std::memcpy(&order, message.data(), sizeof order);
        if (order.what == guard_order::kind::run_line)
            run_line(message.substr(sizeof order));
        else
            on_order(order);
    }
}

// Turnstile has gone, but a process of the program may still work. So the guardian keeps the
// session, and with it the lock.
void guardian::keep_session() {
    if (!session_ ||
        boot_time_now() - killed_at_ < std::chrono::nanoseconds(session_->timeout).count() / 4)
        return;
    if (!keeping_) {
        keeping_.emplace(1);
        turnstile::keep_session(keeping_->get_executor(), *session_, boost::asio::detached);
    }
    keeping_->poll();
}

// Called only when all that works under the lock has gone.
void guardian::end_session() {
    if (!session_)
        return; // turnstile has closed it
    // A reader of turnstile's output need not wait for the servers: it sees the end now.
    for (const int each : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        ::close(each);
    keeping_.reset();
    boost::asio::io_context context(1);
    turnstile::end_session(context.get_executor(), *session_, boost::asio::detached);
    context.run();
}

bool guardian::deadline_has_come() const { return kill_at_ != 0 && boot_time_now() >= kill_at_; }

void guardian::on_order(const guard_order& order) {
    switch (order.what) {
    case guard_order::kind::start:
        return start(order);
    case guard_order::kind::kill_at:
        return set_deadline(order.value);
    case guard_order::kind::signal:
        return on_signal(static_cast<int>(order.value), order.from_terminal);
    case guard_order::kind::end:
        return end_program(true);
    case guard_order::kind::clear:
        return end_program(false);
    case guard_order::kind::no_session:
        return session_.reset();
    case guard_order::kind::run_line:
        break; // on_message() knows it: it has more than this
    }
}

void guardian::start(const guard_order& order) {
    if (force_ == force::kill || deadline_has_come())
        return refuse_start(ECANCELED);
    program_ = ::fork();
    if (program_ < 0)
        return refuse_start(errno);
    if (program_ == 0)
        become_program(order);
    if (!terminal_)
        ::setpgid(program_, program_); // parent and child do it, since either may be first
    phase_ = phase::running;
    report(guard_report::kind::started);
}

void guardian::refuse_start(int error) {
    phase_ = phase::over;
    report(guard_report::kind::not_started, error);
    report(guard_report::kind::empty);
}

// On a terminal the program stays in turnstile's process group. So it may read from the terminal,
// and Ctrl-C reaches the shell around turnstile as well.
void guardian::become_program(const guard_order& order) {
    ::setpgid(0, terminal_ ? turnstile_group_ : 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);          // ends the program if the guardian is killed
    ::sigprocmask(SIG_SETMASK, &mask_, nullptr); // signals that came meanwhile have waited
    for (const auto& [name, value] : plan_.environment)
        ::setenv(name.c_str(), value.c_str(), 1);
    std::array<char, 24> session{};
    std::snprintf(session.data(), session.size(), "0x%" PRIx64, // as `show --json` has it
                  static_cast<std::uint64_t>(order.value));
    ::setenv("TURNSTILE_SESSION", session.data(), 1);
    if (order.token[0] != '\0')
        ::setenv("TURNSTILE_FENCING_TOKEN", order.token.data(), 1);
    else
        ::unsetenv("TURNSTILE_FENCING_TOKEN"); // it may be that of a turnstile around this one
    std::vector<char*> argv;
    for (auto& each : plan_.argv)
        argv.push_back(each.data());
    argv.push_back(nullptr);
    ::execvp(argv.front(), argv.data());
    report(guard_report::kind::not_started, errno);
    ::_exit(127);
}

// Runs the shell line of --on-yield, as a part of the program: it ends with the lock, even if the
// program has ended before. No line is started once the program was told to end.
void guardian::run_line(std::string_view texts) {
    if (!texts.ends_with('\0'))
        return;
    const pid_t line = force_ == force::none ? ::fork() : -1;
    const int error = line >= 0 ? 0 : force_ == force::none ? errno : ECANCELED;
    if (line == 0)
        become_line(texts);
    if (line > 0 && phase_ == phase::over) {
        phase_ = phase::clearing;
        ended_at_ = boot_time_now();
        reported_left_ = false;
    }
    report(guard_report::kind::line, error);
    if (error != 0 && phase_ == phase::over) // no process is there whose end would be reported
        report(guard_report::kind::empty);
}

void guardian::become_line(std::string_view texts) {
    ::setpgid(0, 0); // signals to the program do not reach it
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::sigprocmask(SIG_SETMASK, &mask_, nullptr);
    const char* const line = texts.data();
    for (auto each = texts.find('\0') + 1; each < texts.size(); each = texts.find('\0', each) + 1)
        ::putenv(const_cast<char*>(texts.data() + each));
    ::execlp("sh", "sh", "-c", line, nullptr);
    ::_exit(127);
}

void guardian::disarm() { set_deadline(0); }

void guardian::set_deadline(std::int64_t boot_time) {
    kill_at_ = boot_time;
    const itimerspec when{
        .it_interval = {},
        .it_value = {.tv_sec = boot_time / second, .tv_nsec = boot_time % second}};
    ::timerfd_settime(deadline_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
}

// Called when kill_at_ has come, and when turnstile has gone.
void guardian::on_deadline() {
    disarm();
    if (force_ == force::none)
        spares_daemons_ = false; // no SIGTERM came before: turnstile hangs, and may lose the lock
    force_ = force::kill;
    if (!is_active())
        return;
    killed_at_ = boot_time_now();
    // Before the signal: turnstile must get this report before that of the program's end.
    report(guard_report::kind::killed);
    signal_all(SIGKILL);
}

void guardian::on_signal(int number, bool from_terminal) {
    if (asks_to_end(number))
        spares_daemons_ = false;
    // A program that has left the foreground's group did not get the terminal's signal.
    if (!from_terminal || (phase_ == phase::running && ::getpgid(program_) != turnstile_group_))
        signal_group(number);
}

void guardian::on_child() {
    std::array<signalfd_siginfo, 8> told;
    while (::read(children_.get(), told.data(), sizeof told) > 0) {
    } // only empties the signalfd: SIGCHLDs are merged, so waitpid() says which children it was
    int status = 0;
    pid_t which = 0;
    while ((which = ::waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0) {
        if (which != program_ || phase_ != phase::running)
            continue; // an orphan that became a child of this process
        if (WIFSTOPPED(status))
            on_stop(WSTOPSIG(status));
        else
            on_end(status);
    }
    if (phase_ == phase::clearing)
        check_descendants(which < 0 && errno == ECHILD);
    else if (phase_ == phase::running && force_ == force::kill)
        kill_rest(); // a process may have been forked meanwhile
}

void guardian::on_end(int status) {
    phase_ = phase::clearing;
    ended_at_ = boot_time_now();
    if (WIFSIGNALED(status))
        spares_daemons_ = false; // the program did not end by itself
    report(guard_report::kind::ended, status);
}

// No shell would wake a program that Ctrl-Z stopped, and the lock would be lost.
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

// A shell wakes only processes that it knows to be stopped. It sees turnstile run, and so does not
// wake the program.
void guardian::wake_in_foreground() {
    if (!stopped_ || phase_ != phase::running ||
        ::tcgetpgrp(terminal_.get()) != ::getpgid(program_))
        return;
    stopped_ = false;
    signal_group(SIGCONT);
}

void guardian::check_descendants(bool none_at_all) {
    const auto all = none_at_all ? std::vector<process>() : descendants();
    siginfo_t ended{};
    // If a child has ended meanwhile, its own children may be missing in the list: look again.
    if (!none_at_all && ::waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        ended.si_pid != 0)
        return;
    const auto rest = those_to_end(all);
    // Processes that outlive the program get a moment to end or to become daemons.
    const bool has_patience = spares_daemons_ && boot_time_now() - ended_at_ < settling_time;
    const bool is_unseen = all.empty() && !none_at_all; // something is there, but /proc hides it
    if (rest.empty() && !is_unseen) {
        phase_ = phase::over;
        return report(guard_report::kind::empty);
    }
    if (is_unseen) {
        if (!has_patience)
            report_unkillable(0);
        return;
    }
    if (force_ == force::kill)
        return kill_rest();
    if (!reported_left_ && !has_patience) {
        reported_left_ = true;
        report(guard_report::kind::left, static_cast<int>(rest.size()));
    }
}

void guardian::kill_rest() {
    signal_all(SIGKILL);
    if (boot_time_now() - killed_at_ < settling_time)
        return;
    const auto rest = those_to_end(descendants());
    report_unkillable(rest.empty() ? 0 : rest.front().id);
}

void guardian::report_unkillable(pid_t one) {
    if (std::exchange(reported_unkillable_, true))
        return;
    if (!turnstile_)
        say(fmt::format("turnstile was killed, and {} cannot be ended: the lock is kept until its "
                        "end",
                        one != 0 ? fmt::format("process {} of the program", one)
                                 : "a process of the program that /proc does not show"));
    report(guard_report::kind::kept, one);
}

void guardian::end_program(bool daemons_too) {
    if (!is_active())
        return;
    if (daemons_too)
        spares_daemons_ = false;
    if (phase_ == phase::running && !may_open_files()) {
        // descendants() would wait until it can open /proc, and the deadline would pass meanwhile.
        force_ = std::max(force_, force::term);
        ::kill(program_, SIGTERM);
        ::kill(program_, SIGCONT);
        return;
    }
    // The daemons of this moment are noted: a process that loses its parent from now on is an
    // orphan of the SIGTERM below, and is not spared.
    for (const auto& each : descendants())
        if (force_ == force::none && is_daemon(each))
            daemon_sessions_.push_back(each.session);
    force_ = std::max(force_, force::term);
    signal_all(SIGTERM);
    signal_all(SIGCONT); // a stopped process would not see SIGTERM
}

// Before SIGTERM the child's session tells. Afterwards only those that end_program() noted count.
bool guardian::is_daemon(const process& child) const {
    if (child.parent != ::getpid() || child.id == program_ || child.session <= 0)
        return false;
    if (force_ == force::none)
        return child.session != ::getsid(0) && child.session != program_;
    return std::ranges::find(daemon_sessions_, child.session) != daemon_sessions_.end();
}

// Parents come before their children (descendants).
std::vector<process> guardian::those_to_end(std::vector<process> all) const {
    std::set<pid_t> spared;
    std::erase_if(all, [&](const process& each) {
        const bool is_spared = spared.contains(each.parent) || (spares_daemons_ && is_daemon(each));
        if (is_spared)
            spared.insert(each.id);
        return is_spared;
    });
    return all;
}

void guardian::signal_group(int number) const {
    if (!is_active())
        return;
    const auto group = terminal_ ? turnstile_group_ : program_;
    // The program may be in another group by now. Signals follow it.
    const auto now = phase_ == phase::running ? ::getpgid(program_) : group;
    if (phase_ == phase::running && now == program_) {
        ::kill(-now, number); // no other group can have that number yet
        return;
    }
    for (const auto& each : descendants())
        if (each.group == now)
            send_signal(each, number);
}

void guardian::signal_all(int number) const {
    if (number == SIGKILL && phase_ == phase::running && !may_open_files())
        ::kill(program_, SIGKILL); // descendants() may have to wait
    auto all = descendants();
    if (all.empty() && phase_ == phase::running) // /proc was unmounted
        all.push_back({.id = program_, .parent = ::getpid()});
    for (const auto& each : those_to_end(std::move(all)))
        send_signal(each, number);
}

void guardian::report(guard_report::kind what, int value) const {
    if (!turnstile_)
        return;
    const guard_report message{what, value};
    // A turnstile that is stopped must not stop its guardian: a few messages always fit.
    ::send(turnstile_.get(), &message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

} // namespace turnstile::command
