// SPDX-License-Identifier: BSL-1.0
// How the command proves to the servers who it is.
#pragma once

#include <turnstile/options.hpp>
#include <turnstile/sasl.hpp>

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace turnstile::command {

/// A line `sasl` of the file with identities asks for `digest` by itself, and each of the names
/// here for `gssapi`.
struct sasl_option {
    std::string mechanism{}; ///< digest, gssapi or nothing
    std::string principal{};
    std::string keytab{};
    std::string service{};
    std::string host{};

    void add_to(CLI::App& app, const char* group);
    /// Takes the line `sasl` out of the identities: it goes to no server. Throws command_failure.
    std::optional<sasl_options> chosen(std::vector<identity>& identities) const;
};

} // namespace turnstile::command
