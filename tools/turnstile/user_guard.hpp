// SPDX-License-Identifier: BSL-1.0
// Ends sessions of one user's processes that have died.
#pragma once

#include "guard_socket.hpp"
#include "unique_fd.hpp"

#include <turnstile/session_key.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/uuid/uuid.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

namespace turnstile::command {

struct guard_manner {
    std::chrono::milliseconds settle{}; ///< from the end of a process to that of its session
    std::size_t most_descriptors = 0;   ///< that a process may have
    bool verbose = false;
};

/// Whose a session is: the process has the lock on one byte of a file. Everybody can see the place
/// of that in /proc/locks, so it is found from the session's id and a secret.
struct claim_book {
    unique_fd file{};
    boost::uuids::uuid secret{};
};

/// Sessions register over a Unix socket, each with descriptors of its processes. Once all of these
/// are gone, and the session has not been signed off, it is ended at the servers. The end of the
/// connection says nothing: a program may close it, and a child may keep it open.
///
/// It has a process of its own, since what a user sends may hang it. Passwords are in the memory of
/// this process alone.
class user_guard {
public:
    /// `link`: brings the user's connections.
    user_guard(boost::asio::io_context& context, uid_t user, unique_fd link, claim_book claims,
               guard_manner how);
    ~user_guard();

    void start();

private:
    using clock = std::chrono::steady_clock;
    using descriptor = boost::asio::posix::stream_descriptor;

    class claim;
    struct connection;
    struct registration {
        session_key key{};
        pid_t process = 0;
        std::vector<descriptor> processes{};
        std::vector<unique_fd> files{}; // of its TLS, which the key names by these descriptors
        std::size_t bytes = 0;          // of the files
        std::shared_ptr<claim> session{};
        bool disputed = false; // another user registered the session first
        std::weak_ptr<connection> from{};
        bool withdrawn = false;
    };
    struct connection {
        descriptor socket;
        std::shared_ptr<registration> current{};
    };

    boost::asio::awaitable<void> take_connections();
    boost::asio::awaitable<void> offer_to_leave();
    boost::asio::awaitable<void> serve(std::shared_ptr<connection> peer);
    boost::asio::awaitable<void> follow(std::shared_ptr<registration> which);
    boost::asio::awaitable<void> end(const registration& which);
    descriptor end_in_child(const registration& which, clock::time_point over);
    /// What is wrong with it; empty: nothing.
    std::string take(const std::shared_ptr<connection>& peer, guard_request& what);
    std::string enter(const std::shared_ptr<connection>& peer, guard_request& what);
    std::string take_descriptors(std::string_view roles, guard_request& what, registration& to);
    std::shared_ptr<claim> claim_of(const session_key& key);
    void withdraw(const std::shared_ptr<registration>& which);
    void forget(const std::shared_ptr<registration>& which);
    void spawn(boost::asio::awaitable<void> work, std::size_t descriptors = 0,
               std::size_t bytes = 0);

    boost::asio::io_context& context_;
    const uid_t user_;
    const guard_manner how_;
    descriptor link_;
    const claim_book claims_;
    std::uint64_t received_ = 0; // connections
    std::list<std::shared_ptr<registration>> all_{};
    std::map<std::int64_t, std::weak_ptr<claim>> sessions_{};
    std::size_t open_ = 0;            // descriptors of connections and registrations
    std::size_t bytes_ = 0;           // of files of registrations
    std::size_t ending_ = 0;          // tasks that end sessions
    boost::asio::steady_timer ended_; // some of them
};

/// The process of one user's guard, from its fork on.
[[noreturn]] void guard_user(uid_t user, unique_fd link, claim_book claims, guard_manner how);

} // namespace turnstile::command
