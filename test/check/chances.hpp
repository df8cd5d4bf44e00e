// SPDX-License-Identifier: BSL-1.0
// The chances of a session to prove that it lives, by the schedule's own record of its faults.
#pragma once

#include "history.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace turnstile::check {

/// Each server has a proxy of the same number before it. A server cannot be reached while the
/// schedule does something to it, until all are whole again; nor while its proxy refuses or
/// swallows everything. A fault at one frame may have hit any session there: it divides the time
/// before it from the time after. While servers are harmed, a time without any answered release
/// counts as one in which no server served.
class chances {
public:
    explicit chances(const history& told);

    /// Whether at least one server served without any fault for so long, within the span.
    [[nodiscard]] bool any(interval span, instant length) const;

private:
    std::map<std::uint64_t, std::vector<interval>> faults_; ///< by server; sorted
    std::vector<interval> silences_;                        ///< times in which no server served
};

} // namespace turnstile::check
