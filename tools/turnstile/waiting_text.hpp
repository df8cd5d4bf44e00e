// SPDX-License-Identifier: BSL-1.0
// The text of the line about a lock that is waited for.
#pragma once

#include <turnstile/participant.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace turnstile::command {

/// Such as: waiting for /locks/deploy, 1 ahead: held by alpha (pid 4711), in line for 3 min 12 s
///
/// It has at most `most` columns: if it were longer, the holder's label is shortened first, and
/// then the path.
std::string waiting_text(const std::string& path, std::vector<participant> line, std::size_t most);

} // namespace turnstile::command
