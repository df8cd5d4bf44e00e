// SPDX-License-Identifier: BSL-1.0
// Ends sessions of processes that have died.
#pragma once

#include "guard_socket.hpp"
#include "unique_fd.hpp"

#include <turnstile/session_key.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace turnstile::command {

struct guard_manner {
    std::chrono::milliseconds settle{}; ///< from the end of a process to that of its session
    std::size_t most_descriptors = 0;   ///< that this process may have
    bool verbose = false;
};

/// Sessions register over a Unix socket, each with descriptors of its processes. Once all of these
/// are gone, and the session has not been signed off, it is ended at the servers. The end of the
/// connection says nothing: a program may close it, and a child may keep it open.
///
/// Passwords are in the memory of this process alone.
class host_guard {
public:
    host_guard(boost::asio::io_context& context, unique_fd listening, guard_manner how);

    void start();

private:
    using descriptor = boost::asio::posix::stream_descriptor;

    struct connection;
    struct registration {
        session_key key{};
        pid_t process = 0;
        std::vector<descriptor> processes{};
        std::weak_ptr<connection> from{};
        bool withdrawn = false;
    };
    struct connection {
        descriptor socket;
        std::shared_ptr<registration> current{};
    };

    boost::asio::awaitable<void> accept_all();
    boost::asio::awaitable<void> serve(std::shared_ptr<connection> peer);
    boost::asio::awaitable<void> follow(std::shared_ptr<registration> which);
    boost::asio::awaitable<void> end(const registration& which);
    /// What is wrong with it; empty: nothing.
    std::string take(const std::shared_ptr<connection>& peer, guard_request& what);
    std::string enter(const std::shared_ptr<connection>& peer, guard_request& what);
    void withdraw(const std::shared_ptr<registration>& which);
    void forget(const std::shared_ptr<registration>& which);
    void spawn(boost::asio::awaitable<void> work, std::size_t descriptors = 0);

    boost::asio::io_context& context_;
    const guard_manner how_;
    descriptor listening_;
    std::list<std::shared_ptr<registration>> all_{};
    std::size_t open_ = 0; // descriptors of connections and processes
};

} // namespace turnstile::command
