// SPDX-License-Identifier: BSL-1.0
#include "host_guard.hpp"

#include "say.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/uuid/random_generator.hpp>

#include <fmt/core.h>

#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <exception>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

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

constexpr std::size_t most_passed = 64;

claim_book make_claims() {
    unique_fd made(::memfd_create("claims", MFD_CLOEXEC));
    if (!made)
        throw std::system_error(errno, std::generic_category(), "memfd_create");
    return {std::move(made), boost::uuids::random_generator()()};
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

// What connections are closed here is left to the end of this process.
host_guard::~host_guard() {
    listening_.release(); // some wait there
    next_.release();
    for (auto& each : passed_)
        each.release();
}

void host_guard::start() { spawn(accept_all()); }

// What lies in connections that were closed goes with the last descriptor of theirs: so they are
// closed in a child, also those that were handed over, since the other side may be quicker. A child
// has those of one user alone, and meanwhile no other process is made but for this user.
asio::awaitable<void> host_guard::accept_all() {
    asio::steady_timer pause(context_);
    uid_t user = 0; // whose the passed ones are
    for (;;) {
        next_ = unique_fd(
            ::accept4(listening_.native_handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
        const int failed = next_ ? 0 : errno;
        const auto owner = next_ ? peer_of(next_.get()).uid : user;
        if (!next_ || owner != user || passed_.size() == most_passed) {
            while (!close_in_child(passed_)) {
                pause.expires_after(after_refusal);
                co_await pause.async_wait(no_throw);
            }
            co_await asio::post(context_, no_throw); // others may have their turn
        }
        if (failed == EAGAIN) {
            co_await listening_.async_wait(descriptor::wait_read, no_throw);
        } else if (failed != 0) {
            pause.expires_after(after_refusal);
            co_await pause.async_wait(no_throw);
        } else {
            // One that cannot be handed over is closed: its session tries again.
            user = owner;
            const auto to = link_of(user);
            if (to && send_descriptor(to->socket.native_handle(), next_.get()))
                ++to->sent;
            passed_.push_back(std::move(next_));
        }
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
    if (std::ssize(users_) >= most_users || (user >= block && neighbours >= most_of_block))
        return nullptr;
    try {
        return make_link(user);
    } catch (const std::exception& e) {
        say(fmt::format("guard: no process can be made for user {}: {}", user, e.what()));
        return nullptr;
    }
}

std::shared_ptr<host_guard::link> host_guard::make_link(uid_t user) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) != 0)
        throw std::system_error(errno, std::generic_category(), "socketpair");
    unique_fd here(ends[0]);
    unique_fd there(ends[1]);
    // What is on its way counts as open files of the guard, whose limit a process that hangs would
    // reach for all: so there is room for some forty connections.
    constexpr int room = 16 * 1024;
    ::setsockopt(here.get(), SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    auto result = std::make_shared<link>(watched(context_, here));
    const auto made = fork_apart();
    if (made < 0)
        throw std::system_error(errno, std::generic_category(), "fork");
    if (made == 0)
        guard_user(user, std::move(there), {unique_fd(claims_.file.get()), claims_.secret}, how_);
    users_.emplace(user, result);
    spawn(hear(user, result));
    return result;
}

} // namespace turnstile::command
