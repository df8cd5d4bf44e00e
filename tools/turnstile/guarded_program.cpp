// SPDX-License-Identifier: BSL-1.0
#include "guarded_program.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

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
#include <exception>
#include <system_error>
#include <utility>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

std::vector<process> own_children() {
    siginfo_t any{};
    if (::waitid(P_ALL, 0, &any, WEXITED | WNOHANG | WNOWAIT) != 0)
        return {}; // as nearly always: no need to look through /proc
    return descendants_of(::getpid());
}

} // namespace

guarded_program::guarded_program(program_plan plan) : strangers_(own_children()) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
        throw std::system_error(errno, std::generic_category(), "socketpair");
    unique_fd here(ends[0]);
    unique_fd there(ends[1]);
    guardian_process_ = ::fork();
    if (guardian_process_ < 0)
        throw std::system_error(errno, std::generic_category(), "fork");
    if (guardian_process_ == 0) {
        here.reset();
        try {
            guardian(std::move(there), std::move(plan)).watch();
        } catch (const std::exception&) {
            ::_exit(1); // turnstile sees that the guardian has gone
        }
        ::_exit(0);
    }
    guardian_ = std::move(here);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1); // for kill_orphans
}

void guarded_program::end() noexcept {
    order({.what = guard_order::kind::no_session});
    guardian_.reset();
    while (::waitpid(guardian_process_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

void guarded_program::order(const guard_order& what) const {
    // A guardian that stands still must not stop turnstile, too.
    ::send(guardian_.get(), &what, sizeof what, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void guarded_program::session(const session_key& now) {
    if (now.id == session_)
        return;
    session_ = now.id;
    if (now.id == 0)
        return order({.what = guard_order::kind::no_session});
    const auto text = now.str();
    ::send(guardian_.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void guarded_program::start(std::int64_t session, const std::string& token) {
    guard_order what{.what = guard_order::kind::start, .value = session};
    std::copy_n(token.begin(), std::min(token.size(), what.token.size() - 1), what.token.begin());
    order(what);
}

void guarded_program::kill_at(lease_clock::time_point when) {
    // 0 would be never: the epoch is long over.
    order({.what = guard_order::kind::kill_at,
           .value = std::max<std::int64_t>(when.time_since_epoch().count(), 1)});
}

void guarded_program::signal(int number, bool from_terminal) {
    order({.what = guard_order::kind::signal, .from_terminal = from_terminal, .value = number});
}

void guarded_program::ask_to_end(bool all) {
    order({.what = all ? guard_order::kind::end : guard_order::kind::clear});
}

asio::awaitable<std::optional<guard_report>> guarded_program::next_report() {
    // A descriptor of its own: the socket stays when the context goes.
    const int own = ::fcntl(guardian_.get(), F_DUPFD_CLOEXEC, 0);
    if (own < 0)
        throw std::system_error(errno, std::generic_category(), "cannot watch the program");
    asio::posix::stream_descriptor ready(co_await asio::this_coro::executor, own);
    for (;;) {
        guard_report what;
        const auto got = ::recv(guardian_.get(), &what, sizeof what, MSG_DONTWAIT);
        if (got == sizeof what)
            co_return what;
        if (got >= 0 || (errno != EAGAIN && errno != EINTR))
            break;
        co_await ready.async_wait(asio::posix::stream_descriptor::wait_read, asio::use_awaitable);
    }
    co_await kill_orphans();
    co_return std::nullopt;
}

// The guardian was killed, so what it was the parent of has come to turnstile.
asio::awaitable<void> guarded_program::kill_orphans() {
    asio::steady_timer pause(co_await asio::this_coro::executor);
    // A process whose parent ends during a look may be missed by that one.
    for (int empty_looks = 0; empty_looks < 2;) {
        while (::waitpid(-1, nullptr, WNOHANG) > 0) {
        }
        auto all = descendants_of(::getpid());
        std::erase_if(all, [&](const process& each) {
            return std::ranges::any_of(strangers_, [&](const process& other) {
                return each.id == other.id && each.start == other.start;
            });
        });
        for (const auto& each : all)
            send_signal(each, SIGKILL);
        empty_looks = all.empty() ? empty_looks + 1 : 0;
        pause.expires_after(std::chrono::milliseconds(10));
        co_await pause.async_wait(asio::use_awaitable);
    }
}

} // namespace turnstile::command
