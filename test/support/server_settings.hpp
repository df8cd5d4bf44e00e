// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "ensemble.hpp"

#include <turnstile/options.hpp>

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace turnstile::test {

/// How servers are set, as far as that may change what a lock sees of them.
enum class server_settings {
    usual,
    optimized_watches, ///< ZooKeeper's other watch manager
    netty,             ///< connections by Netty
    eager_acl_checks,  ///< a write's rights are looked at by the server that is asked, too
    quotas,            ///< limits on the number and the size of nodes, in force
    small_buffer,      ///< jute.maxbuffer of 64 KiB
    quick_reaper,      ///< empty containers are looked for each second
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

/// Sets the servers so; the files that they need lie in the folder, which must outlive them. Throws
/// std::runtime_error if this host cannot do it.
void use_settings(ensemble::options& servers, server_settings which,
                  const std::filesystem::path& folder);

/// What has to be done at servers that run: a quota on this node and all below it, say.
void apply_settings(const ensemble& servers, server_settings which, const std::string& node);

/// What a session has to know of them.
void adapt(session_options& options, server_settings which);

} // namespace turnstile::test
