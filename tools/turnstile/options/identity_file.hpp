// SPDX-License-Identifier: BSL-1.0
// The file that --auth-file names.
#pragma once

#include <turnstile/options.hpp>

#include <string>
#include <vector>

namespace turnstile::command {

/// Reads one identity from each line: the scheme, a blank, the secret. Empty lines and lines that
/// begin with # are skipped. A secret has no blank at its beginning or end. Throws command_failure,
/// which never shows a secret.
std::vector<identity> identities_from(const std::string& file);

} // namespace turnstile::command
