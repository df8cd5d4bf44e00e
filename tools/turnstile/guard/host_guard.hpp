// SPDX-License-Identifier: BSL-1.0
// The host's guard: it hands the connections of each user to a process for that user.
#pragma once

#include "guard/guard_socket.hpp"
#include "guard/user_guard.hpp"
#include "program/unique_fd.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include <sys/types.h>

namespace turnstile::command {

/// Accepts the connections of all users, and reads nothing of what they send. It hands each
/// connection over to a process that guards the sessions of this user alone (user_guard.hpp). Such
/// a process may hang, or have no descriptor left, and no other user waits for it. All functions
/// run on the one thread of the io_context; guard() makes it.
class host_guard {
public:
    host_guard(boost::asio::io_context& context, guard_socket& at, guard_settings how);
    host_guard(const host_guard&) = delete;
    host_guard& operator=(const host_guard&) = delete;
    ~host_guard();

    void start();

private:
    using descriptor = boost::asio::posix::stream_descriptor;

    /// The socket to the process that guards a user's sessions.
    struct link {
        descriptor socket;
        std::uint64_t sent = 0; ///< how many connections were handed over
    };

    /// A process that closes connections (close_in_child).
    struct closer {
        std::chrono::steady_clock::time_point since{};
        unique_fd ended{}; ///< can be read once it has ended
    };

    /// Accepts one connection after the other, and hands each over.
    boost::asio::awaitable<void> accept_all();
    /// Hands next_ over to the user's process, and puts it into passed_.
    void hand_over_next(uid_t user);
    /// Closes all in passed_, which are the user's. False: no process can be made for that now.
    bool close_passed(uid_t user);
    void forget_ended_closers();
    /// Lets the user connect again once all closers of its connections have ended.
    boost::asio::awaitable<void> let_in_later(uid_t user);
    /// Waits until the user's process has died, or wants to end and may.
    boost::asio::awaitable<void> follow_process(uid_t user, std::shared_ptr<link> from);
    /// The link that is there, or a new one; null if none can be made.
    std::shared_ptr<link> link_of(uid_t user);
    std::shared_ptr<link> make_link(uid_t user);
    void spawn(boost::asio::awaitable<void> work);

    boost::asio::io_context& context_;
    const guard_settings how_;
    guard_socket& socket_;
    descriptor listening_;
    const claim_book claims_;
    std::map<uid_t, std::shared_ptr<link>> users_{};
    unique_fd next_{};                // the connection that was accepted last
    std::vector<unique_fd> passed_{}; // connections of one user, handed over and not closed yet
    std::map<uid_t, std::vector<closer>> closers_{}; // of each user, the oldest first
    std::set<uid_t> shut_out_{};
};

} // namespace turnstile::command
