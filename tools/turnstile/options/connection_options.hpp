// SPDX-License-Identifier: BSL-1.0
// The options that say where the servers are, and who we are to them.
#pragma once

#include "options/sasl_option.hpp"
#include "options/tls_option.hpp"

#include <turnstile/acl.hpp>
#include <turnstile/options.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace turnstile::command {

/// What all commands take that ask the servers, but for --acl and --guard: only some have these.
struct connection_options {
    std::string servers = "127.0.0.1:2181";
    std::string auth_file{}; ///< the file with identities; empty: none
    tls_option tls{};
    std::string guard{}; ///< the socket of the host's guard
    sasl_option sasl{};
    std::optional<std::chrono::milliseconds> timeout{}; ///< the session timeout
    std::optional<std::chrono::milliseconds> tick{};    ///< the servers' tick
    std::chrono::milliseconds connect_timeout{10'000};
    bool watch_own_data = false;
    acl rights = acl::open(); ///< the rights of nodes that are made
    bool verbose = false;

    void add_to(CLI::App& app);
    /// Adds --acl, for a command that makes nodes.
    void add_acl_to(CLI::App& app);
    /// Adds --guard, for a command whose session the host's guard may end.
    void add_guard_to(CLI::App& app);
    /// Makes the options of the session, and reads the file with identities. `limit`: the time
    /// limit of the work, and so of the wait for a server. Throws command_failure.
    session_options for_session(std::optional<std::chrono::milliseconds> limit = {}) const;
};

} // namespace turnstile::command
