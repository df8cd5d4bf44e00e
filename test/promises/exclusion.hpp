// SPDX-License-Identifier: BSL-1.0
// Who holds one lock at the same time.
#pragma once

#include "findings.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace turnstile::promises {

/// At no time do those who believe to hold a lock take more than there is. An overlap is found when
/// it begins; its text tells how long it lasted once it is over.
class exclusion {
public:
    struct holder {
        acquire_id who = 0;
        units takes = 0;
        acquire_id with = 0; // one ownership has several handles; none but one of them takes
        instant since{};
        std::optional<std::size_t> found{}; // what it took was more than the earlier ones had left
    };

    void begins(const lock_kind& kind, acquire_id who, units takes, instant when, findings& out,
                std::optional<acquire_id> with = {});
    /// Of one who does not hold the lock it changes nothing. Tells the handle that takes from here
    /// on what this one took, if its ownership has another.
    std::optional<acquire_id> ends(const lock_kind& kind, acquire_id who, instant when,
                                   findings& out);
    /// The same of one who goes on with more or less: nobody inherits.
    void interrupts(const lock_kind& kind, acquire_id who, instant when, findings& out);

    /// In the order in which they began.
    const std::vector<holder>& holders() const { return holders_; }

private:
    using iterator = std::vector<holder>::iterator;
    void remove(const lock_kind& kind, iterator which, instant when, findings& out);
    units held_before(std::size_t index) const;
    std::string overlapping(const lock_kind& kind, std::size_t index, const findings& out) const;
    void close(const lock_kind& kind, std::size_t index, instant when, findings& out);

    std::vector<holder> holders_;
};

} // namespace turnstile::promises
