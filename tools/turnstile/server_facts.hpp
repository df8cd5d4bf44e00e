// SPDX-License-Identifier: BSL-1.0
// What could be seen of one server.
#pragma once

#include "connection_options.hpp"
#include "server_address.hpp"
#include "watch_manager.hpp"

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

struct server_facts {
    /// What became of the four-letter word `srvr`.
    enum class words : std::uint8_t {
        answered,
        not_allowed,
        not_serving, ///< it has no quorum, or is starting
        foreign,     ///< another kind of server
        silent,      ///< nothing came
        unnamed,     ///< its name has no address, or none was found in time
    };
    using values = std::map<std::string, std::string>;

    server_address where{};
    std::string not_reached{}; ///< by TCP, and why; empty: it was
    std::string reached{};     ///< address and port behind the name; empty: none
    words said = words::silent;
    std::string tls{};        ///< which version is spoken; empty: none
    int days_left{};          ///< of its certificate
    std::string first_line{}; ///< of a foreign answer
    watch_manager watches{};
    values srvr{};
    values conf{};
    values mntr{};
    std::vector<std::string> members{};           ///< of its ensemble, as `conf` lists them
    std::optional<std::size_t> own_connections{}; ///< from this host

    error_code no_session{};
    diagnostics told{}; ///< of that failure
    std::chrono::milliseconds granted{};
    std::chrono::milliseconds slowest_answer{}; ///< of a write
    error_code access_failed{};
    std::optional<path_access> access{};
    std::optional<path_access> parent{}; ///< of the node above the path
};

/// Looks at one server by its four-letter words, and then by a session of its own, for one
/// connection at a time is all that a server may have left. Each may take so long, and the session
/// waits for a quarter of that at most.
boost::asio::awaitable<server_facts> look_at(server_address where, std::string chroot,
                                             const connection_options& how, std::string path,
                                             std::chrono::milliseconds limit);

} // namespace turnstile::command
