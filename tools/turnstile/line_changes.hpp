// SPDX-License-Identifier: BSL-1.0
// The changes of a line between two looks at it.
#pragma once

#include <turnstile/participant.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace turnstile::command {

struct line_change {
    std::string_view what; ///< "left", "holds" or "waits"
    participant who{};
};

/// Remembers the line of the last look.
class line_changes {
public:
    /// Since the last look: who has left, who holds now, who waits now.
    std::vector<line_change> look(std::vector<participant> line);

private:
    std::map<std::string, participant> known_; // by ticket
};

} // namespace turnstile::command
