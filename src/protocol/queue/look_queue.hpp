// The looks that a reconnect makes necessary, a batch at a time.
#pragma once

#include "protocol/queue/core.hpp"

#include <deque>
#include <utility>

namespace turnstile::protocol {

/// After a reconnect no watch is armed, and every waiter has to look again. Ten thousand looks at
/// once would be answered late, and hold up beats and releases behind them.
class look_queue {
public:
    using entries = std::deque<std::pair<ticket_id, std::uint64_t>>; // a ticket, and its epoch

    explicit look_queue(core& shared) : core_(shared) {}

    void start(entries looks);
    void clear() { waiting_.clear(); }

private:
    friend class machine_state;

    void next_batch();

    core& core_;
    entries waiting_;
};

} // namespace turnstile::protocol
