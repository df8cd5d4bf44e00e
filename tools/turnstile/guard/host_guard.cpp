// SPDX-License-Identifier: BSL-1.0
#include "guard/host_guard.hpp"

#include "text/quietly.hpp"
#include "text/say.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/uuid/random_generator.hpp>

#include <fmt/core.h>

#include <poll.h>
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

constexpr std::chrono::milliseconds after_refusal{100};

constexpr std::ptrdiff_t most_users = 250;

// One person may have many user ids: some 65,536 subordinate ids in a row, which lie in two of
// these blocks. This limit for a block leaves room for others.
constexpr uid_t block = 65'536;
constexpr std::ptrdiff_t most_of_block = 80;

constexpr std::size_t most_passed = 64;

// A user with this many closers that have not ended after this time is shut out.
constexpr std::size_t most_closers = 30;
constexpr std::chrono::milliseconds closers_patience{100};
constexpr std::chrono::seconds before_next_look{1};

claim_book make_claims() {
    unique_fd made(::memfd_create("claims", MFD_CLOEXEC));
    if (!made)
        throw std::system_error(errno, std::generic_category(), "memfd_create");
    return {std::move(made), boost::uuids::random_generator()()};
}

bool is_ready(int fd) {
    pollfd ready{.fd = fd, .events = POLLIN, .revents = 0};
    return ::poll(&ready, 1, 0) == 1;
}

} // namespace

host_guard::host_guard(asio::io_context& context, guard_socket& at, guard_settings how)
    : context_(context),
      how_(how),
      socket_(at),
      listening_(context, at.listening().release()),
      claims_(make_claims()) {}

void host_guard::spawn(asio::awaitable<void> work) {
    asio::co_spawn(context_, std::move(work), [](std::exception_ptr failure) {
        if (failure)
            std::rethrow_exception(failure);
    });
}

// Closes no connection, which could hang: the end of the process does that.
host_guard::~host_guard() {
    listening_.release(); // connections may wait in it
    next_.release();
    for (auto& each : passed_)
        each.release();
}

void host_guard::start() { spawn(accept_all()); }

// To close a connection may hang (close_in_child). So a child does it, even for connections that
// were handed over: the other side may have closed them already. A child has connections of one
// user alone, and until they are closed no process is made for another user.
asio::awaitable<void> host_guard::accept_all() {
    asio::steady_timer pause(context_);
    uid_t user = 0; // the owner of all in passed_
    for (;;) {
        next_ = unique_fd(
            ::accept4(listening_.native_handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
        const int failed = next_ ? 0 : errno;
        const auto owner = next_ ? peer_of(next_.get()).uid : user;
        if (!next_ || owner != user || passed_.size() == most_passed) {
            while (!passed_.empty() && !close_passed(user)) {
                pause.expires_after(after_refusal);
                co_await pause.async_wait(quietly);
            }
            co_await asio::post(context_, quietly); // others may have their turn
        }
        if (failed == EAGAIN) {
            co_await listening_.async_wait(descriptor::wait_read, quietly);
        } else if (failed != 0) {
            pause.expires_after(after_refusal);
            co_await pause.async_wait(quietly);
        } else {
            user = owner;
            hand_over_next(user);
        }
    }
}

// A connection that cannot be handed over is closed: its session tries again.
void host_guard::hand_over_next(uid_t user) {
    const auto to = link_of(user);
    if (to && send_descriptor(to->socket.native_handle(), next_.get()))
        ++to->sent;
    passed_.push_back(std::move(next_));
}

// Descriptors that a user sends can keep a closer from its end for ever (close_in_child). The
// connections of that user stand in the queue of all users, and have to be accepted. So a user with
// many closers that hang may not connect for now.
bool host_guard::close_passed(uid_t user) {
    forget_ended_closers();
    const auto now = std::chrono::steady_clock::now();
    auto& all = closers_[user];
    const bool are_stuck =
        all.size() >= most_closers && all[most_closers - 1].since + closers_patience < now;
    if (are_stuck && shut_out_.insert(user).second) {
        const bool done = socket_.shut_out(shut_out_);
        say(fmt::format("guard: user {} {}: what it has sent keeps {} processes from their end",
                        user, done ? "may not connect for now" : "cannot be shut out", all.size()));
        spawn(let_in_later(user));
    }
    auto ended = close_in_child(passed_);
    if (!ended)
        return false;
    all.push_back({now, std::move(ended)});
    return true;
}

void host_guard::forget_ended_closers() {
    for (auto& [user, all] : closers_)
        std::erase_if(all, [](const auto& each) { return is_ready(each.ended.get()); });
    std::erase_if(closers_, [](const auto& each) { return each.second.empty(); });
}

asio::awaitable<void> host_guard::let_in_later(uid_t user) {
    asio::steady_timer pause(context_);
    while (closers_.contains(user)) {
        pause.expires_after(before_next_look);
        co_await pause.async_wait(quietly);
        forget_ended_closers();
    }
    shut_out_.erase(user);
    socket_.shut_out(shut_out_);
}

asio::awaitable<void> host_guard::follow_process(uid_t user, std::shared_ptr<link> from) {
    for (;;) {
        co_await from->socket.async_wait(descriptor::wait_read, quietly);
        const auto told = receive(from->socket.native_handle());
        if (!told)
            continue;
        std::uint64_t received = 0;
        if (told->text.size() == sizeof received)
            std::memcpy(&received, told->text.data(), sizeof received);
        // The process has died; or it offers to end, and has received all that was sent.
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
    // Connections that are on their way count as open files of the guard. A process that hangs must
    // not reach that limit for all others. So there is room for some forty of them.
    constexpr int room = 16 * 1024;
    ::setsockopt(here.get(), SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    auto result = std::make_shared<link>(watched(context_, here));
    const auto made = fork_apart();
    if (made < 0)
        throw std::system_error(errno, std::generic_category(), "fork");
    if (made == 0)
        guard_user(user, std::move(there), {unique_fd(claims_.file.get()), claims_.secret}, how_);
    users_.emplace(user, result);
    spawn(follow_process(user, result));
    return result;
}

} // namespace turnstile::command
