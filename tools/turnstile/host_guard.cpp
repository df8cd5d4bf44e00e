// SPDX-License-Identifier: BSL-1.0
#include "host_guard.hpp"

#include "say.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <fmt/core.h>

#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <exception>
#include <iterator>
#include <system_error>
#include <utility>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

constexpr auto no_throw = asio::as_tuple(asio::use_awaitable);
constexpr std::chrono::milliseconds after_refusal{100};

constexpr std::ptrdiff_t most_users = 250;

// One person may have many users' numbers: subordinate ids, some 65,536 in a row, and so in two of
// these blocks. They leave room for others.
constexpr uid_t block = 65'536;
constexpr std::ptrdiff_t most_of_block = 80;

unique_fd make_claims() {
    unique_fd made(::memfd_create("claims", MFD_CLOEXEC));
    if (!made)
        throw std::system_error(errno, std::generic_category(), "memfd_create");
    return made;
}

} // namespace

host_guard::host_guard(asio::io_context& context, unique_fd listening, guard_manner how)
    : context_(context),
      how_(how),
      listening_(context, listening.release()),
      claims_(make_claims()) {}

void host_guard::spawn(asio::awaitable<void> work) {
    asio::co_spawn(context_, std::move(work), [](std::exception_ptr failure) {
        if (failure)
            std::rethrow_exception(failure);
    });
}

void host_guard::start() { spawn(accept_all()); }

asio::awaitable<void> host_guard::accept_all() {
    asio::steady_timer pause(context_);
    for (;;) {
        co_await listening_.async_wait(descriptor::wait_read, no_throw);
        const unique_fd next(
            ::accept4(listening_.native_handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
        if (!next && errno == EAGAIN)
            continue;
        if (!next) {
            pause.expires_after(after_refusal);
            co_await pause.async_wait(no_throw);
            continue;
        }
        // One that cannot be handed over is closed: its session tries again.
        const auto to = link_of(peer_of(next.get()).uid);
        if (to && send_descriptor(to->socket.native_handle(), next.get()))
            ++to->sent;
    }
}

asio::awaitable<void> host_guard::hear(uid_t user, std::shared_ptr<link> from) {
    for (;;) {
        co_await from->socket.async_wait(descriptor::wait_read, no_throw);
        const auto told = receive(from->socket.native_handle());
        if (!told)
            continue;
        std::uint64_t received = 0;
        if (told->text.size() == sizeof received)
            std::memcpy(&received, told->text.data(), sizeof received);
        // It has died, or it has had all that was sent and has nothing to do any more.
        if (told->text.empty() || received == from->sent)
            break;
    }
    users_.erase(user);
}

std::shared_ptr<host_guard::link> host_guard::link_of(uid_t user) {
    if (const auto known = users_.find(user); known != users_.end())
        return known->second;
    const auto neighbours = std::ranges::count_if(
        users_, [&](const auto& each) { return each.first / block == user / block; });
    std::array<int, 2> ends{};
    if (std::ssize(users_) >= most_users || (user >= block && neighbours >= most_of_block) ||
        ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return nullptr;
    unique_fd here(ends[0]);
    unique_fd there(ends[1]);
    // What is on its way counts as open files of the guard, whose limit a process that hangs would
    // reach for all: so there is room for some forty connections.
    constexpr int room = 16 * 1024;
    ::setsockopt(here.get(), SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    // A signal that came before the child has its own way with it would be told to the parent.
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::sigprocmask(SIG_BLOCK, &all, &before);
    const auto made = ::fork();
    if (made == 0)
        for (const int each : {SIGINT, SIGTERM})
            ::signal(each, SIG_DFL);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    if (made < 0) {
        say(fmt::format("guard: no process can be made for user {}: {}", user,
                        std::strerror(errno)));
        return nullptr;
    }
    if (made == 0)
        guard_user(user, std::move(there), unique_fd(claims_.get()), how_);
    auto result = std::make_shared<link>(descriptor(context_, here.release()));
    users_.emplace(user, result);
    spawn(hear(user, result));
    return result;
}

} // namespace turnstile::command
