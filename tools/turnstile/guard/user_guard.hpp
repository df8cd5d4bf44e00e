// SPDX-License-Identifier: BSL-1.0
// Ends sessions of one user's processes that have died.
#pragma once

#include "guard/guard_socket.hpp"
#include "program/unique_fd.hpp"

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

struct guard_settings {
    std::chrono::milliseconds settle{}; ///< from the end of a process to the end of its session
    std::size_t most_descriptors = 0;   ///< the most that this process may have open
    bool verbose = false;
};

/// Says which user registered a session first: that user's guard has a lock on one byte of a file.
/// All processes can read the byte's position in /proc/locks, so it is made from the session's id
/// and a secret.
struct claim_book {
    unique_fd file{};
    boost::uuids::uuid secret{};
};

/// Guards the sessions of one user. A session registers over a Unix socket, with descriptors of its
/// processes. When all of these have ended, and the session has not been signed off, the guard ends
/// the session at the servers. The end of the connection says nothing: a program may close it, and
/// a child may keep it open.
///
/// `host_guard` forks one process for each user (guard_user), for what a user sends may hang it. In
/// that process all functions run on the one thread of its io_context. Passwords are in the memory
/// of that process alone.
class user_guard {
public:
    /// `link`: the socket over which host_guard hands the user's connections over.
    user_guard(boost::asio::io_context& context, uid_t user, unique_fd link, claim_book claims,
               guard_settings how);
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
        std::vector<unique_fd> files{}; // the files of its TLS, which the key names by descriptor
        std::size_t bytes = 0;          // their size
        std::shared_ptr<claim> own_claim{};
        bool disputed = false; // another user registered the session first
        std::weak_ptr<connection> from{};
        bool withdrawn = false; // signed off, or replaced by a newer one: nothing is ended
    };
    struct connection {
        descriptor socket;
        std::shared_ptr<registration> current{};
    };

    /// Takes the connections that host_guard hands over.
    boost::asio::awaitable<void> receive_connections();
    /// Offers host_guard to end while this process has no connection and no registration.
    boost::asio::awaitable<void> offer_to_leave();
    /// Answers the requests of one connection.
    boost::asio::awaitable<void> serve(std::shared_ptr<connection> peer);
    /// Waits for the end of the processes, and then ends the session.
    boost::asio::awaitable<void> follow(std::shared_ptr<registration> which);
    boost::asio::awaitable<void> end_session_of(const registration& which);
    /// Returns a descriptor that can be read once the child is gone.
    descriptor end_in_child(const registration& which, clock::time_point over);
    // These return what is wrong with a request; empty: nothing is.
    std::string handle_request(const std::shared_ptr<connection>& peer, guard_request& what);
    std::string register_session(const std::shared_ptr<connection>& peer, guard_request& what);
    std::string take_descriptors(std::string_view roles, guard_request& what, registration& to);
    std::string take_file(unique_fd& own, const tls_options::text& which, registration& to);
    std::string take_process(unique_fd& own, bool is_peer, registration& to);
    std::shared_ptr<claim> claim_of(const session_key& key);
    /// Withdraws the registrations that a new one replaces.
    void replace_older(connection& peer, const registration& by);
    /// The registration counts no more, and its session is not ended.
    void withdraw(const std::shared_ptr<registration>& which);
    void forget(const std::shared_ptr<registration>& which);
    /// Runs the work. Until it ends, it counts with these descriptors and bytes.
    void spawn(boost::asio::awaitable<void> work, std::size_t descriptors = 0,
               std::size_t bytes = 0);

    boost::asio::io_context& context_;
    const uid_t user_;
    const guard_settings how_;
    descriptor link_;
    const claim_book claims_;
    std::uint64_t received_ = 0; // how many connections have come
    std::list<std::shared_ptr<registration>> all_{};
    std::map<std::int64_t, std::weak_ptr<claim>> claims_by_session_{};
    std::size_t open_ = 0;            // descriptors of all connections and registrations
    std::size_t bytes_ = 0;           // bytes of the files of all registrations
    std::size_t ending_ = 0;          // processes and threads that end sessions now
    boost::asio::steady_timer ended_; // cancelled when some of these have ended
};

/// What the process of one user's guard does after its fork.
[[noreturn]] void guard_user(uid_t user, unique_fd link, claim_book claims, guard_settings how);

} // namespace turnstile::command
