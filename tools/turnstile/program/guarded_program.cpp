// SPDX-License-Identifier: BSL-1.0
#include "program/guarded_program.hpp"

#include "text/outcome.hpp"
#include "text/say.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <fmt/core.h>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <exception>
#include <system_error>
#include <utility>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

/// Says how a process has ended, by the status that waitpid() gave.
std::string text_of_end(int status) {
    if (!WIFSIGNALED(status))
        return fmt::format("has ended with {}", WEXITSTATUS(status));
    return fmt::format("was killed (signal {}, {})", WTERMSIG(status),
                       ::strsignal(WTERMSIG(status)));
}

} // namespace

guarded_program::guarded_program(program_plan plan)
    : strangers_(own_children().value_or(std::vector<pid_t>())) {
    if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) // for kill_orphans; and the guardian needs it
        throw failure_of_call("prctl(PR_SET_CHILD_SUBREAPER)");
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
        throw std::system_error(errno, std::generic_category(), "socketpair");
    unique_fd here(ends[0]);
    unique_fd there(ends[1]);
    guardian watcher(std::move(there), std::move(plan));
    guardian_process_ = ::fork();
    if (guardian_process_ < 0)
        throw std::system_error(errno, std::generic_category(), "fork");
    if (guardian_process_ == 0) {
        here.reset();
        try {
            watcher.watch();
        } catch (const std::exception&) {
            ::_exit(1); // turnstile sees that the guardian has gone
        }
        ::_exit(0);
    }
    socket_ = std::move(here);
}

void guarded_program::end() noexcept {
    order({.what = guard_order::kind::no_session});
    socket_.reset();
    send_signal({.id = guardian_process_}, SIGCONT); // it may be stopped
    while (::waitpid(guardian_process_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

void guarded_program::order(const guard_order& what) const {
    // A guardian that is stopped must not stop turnstile, too.
    ::send(socket_.get(), &what, sizeof what, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void guarded_program::session(const session_key& now) {
    if (now.id == session_)
        return;
    session_ = now.id;
    if (now.id == 0)
        return order({.what = guard_order::kind::no_session});
    const auto text = now.str();
    ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void guarded_program::start(std::int64_t session, const std::string& token) {
    guard_order what{.what = guard_order::kind::start, .value = session};
    std::copy_n(token.begin(), std::min(token.size(), what.token.size() - 1), what.token.begin());
    order(what);
}

void guarded_program::kill_at(lease_clock::time_point when) {
    // 0 would mean never, but the epoch is an instant that is long over.
    order({.what = guard_order::kind::kill_at,
           .value = std::max<std::int64_t>(when.time_since_epoch().count(), 1)});
}

void guarded_program::signal(int number, bool from_terminal) {
    order({.what = guard_order::kind::signal, .from_terminal = from_terminal, .value = number});
}

bool guarded_program::run_line(const std::string& line,
                               const std::vector<std::string>& environment) {
    const guard_order what{.what = guard_order::kind::run_line};
    std::string text(reinterpret_cast<const char*>(&what), sizeof what);
    text += line + '\0';
    for (const auto& each : environment)
        text += each + '\0';
    return ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT) > 0;
}

void guarded_program::ask_to_end(bool daemons_too) {
    order({.what = daemons_too ? guard_order::kind::end : guard_order::kind::clear});
    send_signal({.id = guardian_process_}, SIGCONT);
}

asio::awaitable<std::optional<guard_report>> guarded_program::next_report() {
    // The reactor gets a duplicate: the socket itself outlives the execution context.
    const int duplicate = ::fcntl(socket_.get(), F_DUPFD_CLOEXEC, 0);
    if (duplicate < 0)
        throw std::system_error(errno, std::generic_category(), "cannot watch the program");
    asio::posix::stream_descriptor ready(co_await asio::this_coro::executor, duplicate);
    for (;;) {
        guard_report report;
        const auto got = ::recv(socket_.get(), &report, sizeof report, MSG_DONTWAIT);
        if (got == sizeof report)
            co_return report;
        if (got >= 0 || (errno != EAGAIN && errno != EINTR))
            break;
        co_await ready.async_wait(asio::posix::stream_descriptor::wait_read, asio::use_awaitable);
    }
    co_await kill_orphans();
    co_return std::nullopt;
}

// The guardian was killed, so its children have become turnstile's.
asio::awaitable<void> guarded_program::kill_orphans() {
    int status = 0;
    if (end_of_guardian_.empty() && ::waitpid(guardian_process_, &status, 0) > 0)
        end_of_guardian_ = text_of_end(status);
    for (int looks = 0;; ++looks) {
        pid_t ended = 0;
        while ((ended = ::waitpid(-1, nullptr, WNOHANG)) > 0)
            std::erase(strangers_, ended);
        if (ended < 0)
            co_return; // there is no child
        const auto children = own_children();
        const auto is_stranger = [&](pid_t id) {
            return std::ranges::find(strangers_, id) != strangers_.end();
        };
        siginfo_t other{};
        // If a child has ended meanwhile, its own children may be missing in the list: look again.
        if (children && std::ranges::all_of(*children, is_stranger) &&
            ::waitid(P_ALL, 0, &other, WEXITED | WNOHANG | WNOWAIT) == 0 && other.si_pid == 0)
            co_return;
        std::vector<pid_t> spared = strangers_;
        for (const auto& each : descendants())
            if (is_stranger(each.id) || std::ranges::find(spared, each.parent) != spared.end())
                spared.push_back(each.id);
            else
                send_signal(each, SIGKILL);
        if (looks == 100) // after a second
            say("processes of the program are left that SIGKILL does not end, or that /proc does "
                "not show: they are waited for");
        co_await pause_for(std::chrono::milliseconds(10));
    }
}

} // namespace turnstile::command
