// SPDX-License-Identifier: BSL-1.0
// Own tickets of one queue that may not be deleted.
#pragma once

#include "protocol/queue/pending_deletes.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace turnstile::protocol {

/// New tickets stand behind them until the session ends, or an operator gives the permission:
/// before a ticket is made behind them they are tried once more, all together. Their bytes stay
/// taken: the server has to name them when the session closes.
class undeletable {
public:
    void add(const pending_delete& what) {
        standing_.push_back({.name = what.name,
                             .czxid = what.czxid,
                             .cost = what.cost,
                             .denied = true,
                             .may_be_downgraded = what.may_be_downgraded});
    }
    /// Takes out all that stand, to be sent again.
    std::vector<pending_delete> retry() {
        open_ += standing_.size();
        return std::exchange(standing_, {});
    }
    /// One that was sent again has its answer, or went with the session.
    void answered() { open_ -= open_ > 0 ? 1 : 0; }
    /// They went with the session: so many bytes are free.
    std::size_t clear() {
        open_ = 0;
        std::size_t bytes = 0;
        for (const auto& each : std::exchange(standing_, {}))
            bytes += each.cost;
        return bytes;
    }

    bool stand() const { return !standing_.empty(); }
    bool contains(const ticket_name& name) const {
        return std::any_of(standing_.begin(), standing_.end(),
                           [&](const pending_delete& each) { return each.name == name; });
    }
    /// Some were sent again, and the answers to all decide together.
    bool open() const { return open_ > 0; }

private:
    std::vector<pending_delete> standing_;
    std::size_t open_ = 0;
};

} // namespace turnstile::protocol
