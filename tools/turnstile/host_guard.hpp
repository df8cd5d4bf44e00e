// SPDX-License-Identifier: BSL-1.0
// Hands the connections of each user to a process of its own.
#pragma once

#include "unique_fd.hpp"
#include "user_guard.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include <sys/types.h>

namespace turnstile::command {

/// Users trust each other in nothing. What one sends is read by a process that guards this user's
/// sessions alone: it can hang, or have no descriptor left, and no other user waits for it.
class host_guard {
public:
    host_guard(boost::asio::io_context& context, unique_fd listening, guard_manner how);
    host_guard(const host_guard&) = delete;
    host_guard& operator=(const host_guard&) = delete;
    ~host_guard();

    void start();

private:
    using descriptor = boost::asio::posix::stream_descriptor;

    /// The way to the process that guards a user's sessions.
    struct link {
        descriptor socket;
        std::uint64_t sent = 0; ///< connections
    };

    boost::asio::awaitable<void> accept_all();
    boost::asio::awaitable<void> hear(uid_t user, std::shared_ptr<link> from);
    /// Null where there is none and none can be made.
    std::shared_ptr<link> link_of(uid_t user);
    std::shared_ptr<link> make_link(uid_t user);
    void spawn(boost::asio::awaitable<void> work);

    boost::asio::io_context& context_;
    const guard_manner how_;
    descriptor listening_;
    const claim_book claims_;
    std::map<uid_t, std::shared_ptr<link>> users_{};
    unique_fd next_{};
    std::vector<unique_fd> passed_{}; // connections of one user
};

} // namespace turnstile::command
