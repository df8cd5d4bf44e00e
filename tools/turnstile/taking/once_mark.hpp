// SPDX-License-Identifier: BSL-1.0
// The mark of `turnstile run --once-per`: when the command was started last.
#pragma once

#include "options/connection_options.hpp"
#include "taking/once_period.hpp"

#include <turnstile/guarded_write.hpp>
#include <turnstile/held_lock.hpp>
#include <turnstile/session.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace turnstile::command {

/// The mark is a node beside the lock path, which only the holder of the lock writes. Its data is a
/// time of the ensemble's clock, in milliseconds: so the hosts' clocks do not matter. To learn the
/// present time, this writes the node's old data once more: the servers give each write a time.
class once_mark {
public:
    /// `how` is for the texts of failures.
    once_mark(const connection_options& how, session& own, held_lock& lock, const std::string& path)
        : how_(how), session_(own), lock_(lock), mark_(path + "%once") {}

    /// Sets the mark, and returns nothing. But if a mark of the same period is there, it stays, and
    /// this returns its age. A mark more than a minute in the future, from when the ensemble's
    /// clock was fast, does not count: a message says so. Throws command_failure.
    boost::asio::awaitable<std::optional<std::chrono::milliseconds>>
    set_again(const once_period& period);

private:
    /// Returns the node, or nothing if it is not there.
    boost::asio::awaitable<std::optional<node_value>> read();
    /// Gives the node this data. Returns when it is known to have it. `known`: the node before.
    boost::asio::awaitable<node_value> write(const std::optional<node_value>& known,
                                             const std::string& data);
    /// Reads the time. Nothing if the data is empty. Throws command_failure if it is no time.
    std::optional<std::chrono::milliseconds> time_of(const std::string& data) const;

    const connection_options& how_;
    session& session_;
    held_lock& lock_;
    const std::string mark_; // the path of the node
};

} // namespace turnstile::command
