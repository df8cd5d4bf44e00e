// SPDX-License-Identifier: BSL-1.0
// The options of TLS.
#pragma once

#include <turnstile/tls.hpp>

#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace turnstile::command {

/// Each of these files and names asks for TLS, even without --tls.
struct tls_option {
    bool wanted = false;       ///< --tls
    std::string authorities{}; ///< a file, or a folder; empty: the system's
    std::string certificate{}; ///< our own, in a file
    std::string key{};         ///< its key, in a file; empty: in that of the certificate
    std::string name{};        ///< in the servers' certificates; empty: the host in the list

    void add_to(CLI::App& app, const char* group);
    /// Returns the settings, or nothing if TLS is not asked for. Throws command_failure if a file
    /// cannot be used.
    std::optional<tls_options> chosen() const;
};

} // namespace turnstile::command
