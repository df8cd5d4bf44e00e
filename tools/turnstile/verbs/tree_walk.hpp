// SPDX-License-Identifier: BSL-1.0
// The locks at a node of ZooKeeper and below it.
#pragma once

#include <turnstile/participant.hpp>
#include <turnstile/session.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::command {

struct found_lock {
    std::string path{};
    std::optional<std::uint32_t> limit{}; ///< the limit of a semaphore
    std::vector<participant> line{};      ///< only the first one has its details
};

struct found_locks {
    std::vector<found_lock> locks{};   ///< in the order of their paths
    std::vector<std::string> denied{}; ///< nodes that we may not read
    bool whole = true;                 ///< all nodes were looked at, and not only the first `most`
};

/// Finds the locks at a node and below it: the nodes that have tickets or are a semaphore. It looks
/// at many nodes at a time, all on the session's executor. Each walk takes an object of its own.
class tree_walk {
public:
    /// `most`: how many nodes it looks at.
    tree_walk(session& own, std::size_t most)
        : session_(own), most_(most), changed_(own.get_executor()) {}

    /// Returns when all looks have ended. Throws system_error if one failed.
    boost::asio::awaitable<found_locks> below(const std::string& path);

private:
    /// Begins looks at the waiting nodes, as many as may be open.
    void begin_looks();
    /// Looks at one node. If it is a lock, adds it to the locks. Its children that are no tickets
    /// become waiting nodes.
    boost::asio::awaitable<void> look(std::string path);
    /// Returns the names of a node's children; nothing if the node is missing or may not be read.
    boost::asio::awaitable<std::optional<std::vector<std::string>>>
    children(const std::string& path);
    /// Returns the limit of a semaphore; nothing if it cannot be read.
    boost::asio::awaitable<std::optional<std::uint32_t>> limit_at(const std::string& path);
    /// Adds a child to the waiting nodes.
    void add_node(const std::string& path, std::string child);

    session& session_;
    const std::size_t most_;
    boost::asio::steady_timer changed_; // cancelled when a look has ended
    std::deque<std::string> waiting_{}; // nodes that no look has begun at
    std::size_t noted_ = 0;             // how many nodes were looked at, or will be
    std::size_t open_ = 0;              // how many looks are under way
    std::exception_ptr failure_{};      // of the first look that failed
    found_locks found_{};
};

} // namespace turnstile::command
