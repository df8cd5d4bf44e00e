// SPDX-License-Identifier: BSL-1.0
// The locks below a node of ZooKeeper.
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
    bool whole = true;                 ///< all nodes were looked at
};

/// Finds the locks below a node: the nodes that have tickets or are a semaphore. It looks at many
/// nodes at a time, all on the session's executor.
class tree_walk {
public:
    /// `most`: how many nodes it looks at.
    tree_walk(session& own, std::size_t most)
        : session_(own), most_(most), changed_(own.get_executor()) {}

    /// Throws system_error.
    boost::asio::awaitable<found_locks> below(const std::string& path);

private:
    void look_further();
    boost::asio::awaitable<void> look(std::string path);
    boost::asio::awaitable<std::optional<std::vector<std::string>>>
    children(const std::string& path);
    boost::asio::awaitable<std::optional<std::uint32_t>> limit_at(const std::string& path);
    /// Adds a node to those that will be looked at.
    void note_node(const std::string& path, std::string child);

    session& session_;
    const std::size_t most_;
    boost::asio::steady_timer changed_; // cancelled when a look has ended
    std::deque<std::string> waiting_{};
    std::size_t noted_ = 0; // how many nodes were looked at, or will be
    std::size_t open_ = 0;  // how many looks are under way
    std::exception_ptr failure_{};
    found_locks found_{};
};

} // namespace turnstile::command
