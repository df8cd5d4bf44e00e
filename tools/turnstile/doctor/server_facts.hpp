// SPDX-License-Identifier: BSL-1.0
// The facts about one server, for `turnstile doctor`.
#pragma once

#include "doctor/watch_manager.hpp"
#include "options/connection_options.hpp"
#include "options/server_address.hpp"

#include <turnstile/diagnostics.hpp>
#include <turnstile/error.hpp>
#include <turnstile/path_access.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::command {

/// What one server told by its four-letter words, and what a session at it found out.
struct server_facts {
    /// The answer to the four-letter word `srvr`.
    enum class words : std::uint8_t {
        answered,
        not_allowed,
        not_serving, ///< it has no quorum, or is starting
        foreign,     ///< another kind of server
        silent,      ///< no answer came
        unnamed,     ///< its name has no address, or none was found in time
    };
    using values = std::map<std::string, std::string>;

    server_address where{};    ///< the server
    std::string not_reached{}; ///< why TCP did not reach it; empty: it did
    std::string reached{};     ///< the address and port that were reached; empty: none
    words said = words::silent;
    std::string tls{};        ///< the version of TLS; empty: TLS is not spoken
    int days_left{};          ///< how long its certificate is valid
    std::string first_line{}; ///< the first line of another kind of server
    watch_manager watches{};
    values srvr{}; ///< the values that the words `srvr`, `conf` and `mntr` tell, by their keys
    values conf{};
    values mntr{};
    std::vector<std::string> members{};           ///< the ensemble's members, as `conf` lists them
    std::optional<std::size_t> own_connections{}; ///< how many connections this host has

    error_code no_session{};                    ///< why it grants no session; none: it does
    diagnostics told{};                         ///< about that failure
    std::chrono::milliseconds granted{};        ///< the session timeout
    std::chrono::milliseconds slowest_answer{}; ///< the slowest answer to a write
    error_code access_failed{};                 ///< why `access` is not known; none: it is
    std::optional<path_access> access{};        ///< what we may do at the path
    std::optional<path_access> parent{};        ///< what we may do at the node above the path
};

/// Looks at one server: by its four-letter words, and then by a session of its own. The server may
/// have only one connection left, so the session waits until the words are answered, but at most a
/// quarter of `limit`. From then on it may take `limit`, and a little more to close.
boost::asio::awaitable<server_facts> look_at(server_address where, std::string chroot,
                                             const connection_options& how, std::string path,
                                             std::chrono::milliseconds limit);

} // namespace turnstile::command
