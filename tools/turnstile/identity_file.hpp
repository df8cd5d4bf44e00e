// SPDX-License-Identifier: BSL-1.0
// The file that --auth-file names.
#pragma once

#include <turnstile/options.hpp>

#include <string>
#include <vector>

namespace turnstile::command {

/// One identity a line: the scheme, a blank, the secret. Lines that are empty or begin with # are
/// passed over. A secret has no blank at its end. Throws command_failure, which never shows a
/// secret.
std::vector<identity> identities_from(const std::string& file);

} // namespace turnstile::command
