// SPDX-License-Identifier: BSL-1.0
// What the commands share that ask about one lock path.
#pragma once

#include "options/connection_options.hpp"

#include <turnstile/error.hpp>
#include <turnstile/participant.hpp>
#include <turnstile/session.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::command {

/// The options that all of these commands have.
struct path_options {
    connection_options connection{};
    std::string path{};
    std::string label{};      ///< the session's label
    bool json = false;        ///< the output is for programs
    bool may_be_root = false; ///< the path may be "/": it need not be a lock

    void add_to(CLI::App& app);
};

/// Throws command_failure if no lock can have the path. Needs no server.
boost::asio::awaitable<void> check_path(session& own, const connection_options& how,
                                        const std::string& path);

/// Warns if others have more rights at the path than --acl gives. (With -v the session does so.)
/// It takes a second at most.
boost::asio::awaitable<void> warn_of_rights(session& own, const connection_options& how,
                                            std::string path);

/// Returns the node whose ACL denies what failed with `why`. This is the path itself; but if CREATE
/// is denied and the path does not exist, it is the nearest node above that exists. It takes a
/// second at most.
boost::asio::awaitable<std::string> denied_node(session& own, error_code why, std::string path);

/// Runs the work with a connected session, and returns its exit code. `limit`: the time limit of
/// the work, which keeps to it itself; here it limits the wait for a server. Throws
/// command_failure.
int with_connection(const path_options& how,
                    const std::function<boost::asio::awaitable<int>(session&)>& work,
                    std::optional<std::chrono::milliseconds> limit = {});

/// Returns the line at the path, with the details of the first `most`, and of more if the holder is
/// not among them. With 0 it has no details. Throws command_failure.
boost::asio::awaitable<std::vector<participant>> line_at(session& own, const path_options& how,
                                                         std::size_t most);

/// The limit of the semaphore at the path; nothing if there is none. Throws command_failure.
boost::asio::awaitable<std::optional<std::uint32_t>> limit_at(session& own,
                                                              const path_options& how);

} // namespace turnstile::command
