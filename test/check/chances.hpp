// SPDX-License-Identifier: BSL-1.0
// Whether a session could have proved that it lives, by the schedule's own record of its faults.
#pragma once

#include "history.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace turnstile::check {

/// Each server has a proxy of the same number before it. A server cannot be reached while the
/// schedule does something to it, until all are whole again; nor while its proxy refuses or
/// swallows everything. A fault at one frame may have hit any session there: an instant that
/// divides the time before it from the time after. While servers are harmed, nobody is served where
/// no worker hears of a release that was carried out; without such a fault that is no excuse.
class chances {
public:
    explicit chances(const history& told);

    /// Whether at least one server served without any fault for so long, within the span.
    [[nodiscard]] bool any(interval span, instant length) const;

private:
    std::map<std::uint64_t, std::vector<interval>> faults_; ///< by server; sorted
    std::vector<interval> silences_;                        ///< of all servers
};

} // namespace turnstile::check
