// SPDX-License-Identifier: BSL-1.0
// Settings of servers under which locks must work as well. Chaos and other programs take the name
// of one: they start an ensemble with use_settings(), apply_settings() once it runs, and adapt()
// the options of each session.
#pragma once

#include "ensemble.hpp"

#include <turnstile/options.hpp>

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace turnstile::test {

/// Each is the usual one with one difference.
enum class server_settings {
    usual,
    optimized_watches, ///< ZooKeeper's other watch manager
    netty,             ///< connections by Netty
    eager_acl_checks,  ///< the server that is asked checks the rights of a write, too
    quotas,            ///< limits on the number and the size of nodes, in force
    small_buffer,      ///< jute.maxbuffer of 64 KiB
    quick_reaper,      ///< the servers look for empty containers each second
    other_password,    ///< the last of the servers has another SASL password for the user
    clocks_apart,      ///< each server's clock is two hours ahead of that of the one before
};

inline constexpr std::array server_settings_names{
    std::string_view{"usual"},        std::string_view{"optimized-watches"},
    std::string_view{"netty"},        std::string_view{"eager-acl-checks"},
    std::string_view{"quotas"},       std::string_view{"small-buffer"},
    std::string_view{"quick-reaper"}, std::string_view{"other-password"},
    std::string_view{"clocks-apart"},
};
[[nodiscard]] constexpr std::string_view name_of_settings(server_settings which) {
    return server_settings_names[static_cast<std::size_t>(which)];
}
/// Throws std::invalid_argument if there is no such name.
[[nodiscard]] server_settings server_settings_called(std::string_view name);

/// Sets the options of the ensemble. The files that the servers need lie in the folder, which must
/// outlive them.
void use_settings(ensemble::options& servers, server_settings which,
                  const std::filesystem::path& folder);

/// Does what must be done at servers that run: sets a quota on this node and all below it. Throws
/// std::runtime_error if that fails.
void apply_settings(const ensemble& servers, server_settings which, const std::string& node);

/// Gives a session the options that it needs with such servers.
void adapt(session_options& options, server_settings which);

} // namespace turnstile::test
