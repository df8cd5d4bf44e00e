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
    bool wanted = false;
    std::string authorities{}; ///< a file, or a folder
    std::string certificate{};
    std::string key{};
    std::string name{};

    void add_to(CLI::App& app, const char* group);
    /// Returns the settings; nothing without TLS. Throws command_failure if a file cannot be used.
    std::optional<tls_options> chosen() const;
};

} // namespace turnstile::command
