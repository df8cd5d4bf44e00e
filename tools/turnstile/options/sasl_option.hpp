// SPDX-License-Identifier: BSL-1.0
// The options of SASL.
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

/// Without --sasl, the other settings choose the mechanism: a name of Kerberos (--sasl-principal
/// and the like) chooses `gssapi`. If there is none, a line `sasl` in the file with identities
/// chooses `digest`.
struct sasl_option {
    std::string mechanism{}; ///< digest, gssapi or nothing
    std::string principal{};
    std::string keytab{};
    std::string service{};
    std::string host{};

    void add_to(CLI::App& app, const char* group);
    /// Returns the settings, or nothing if SASL is not asked for. Takes the line `sasl` out of the
    /// identities, since it must go to no server as such. Throws command_failure.
    std::optional<sasl_options> chosen(std::vector<identity>& identities) const;
};

} // namespace turnstile::command
