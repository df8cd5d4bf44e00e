// Who holds a lock, in a few words.
#pragma once

#include <turnstile/participant.hpp>

#include <string>
#include <vector>

namespace turnstile::command {

/// Such as: held by alpha (pid 4711, "nightly") since 14:02:11 (3 min 12 s), 2 wait
///
/// Where a ticket is the own session's, it says how many wait before that one.
std::string holder_text(const std::vector<participant>& line);

} // namespace turnstile::command
