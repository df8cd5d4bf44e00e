// SPDX-License-Identifier: BSL-1.0
// The searches that a reconnect makes necessary, a batch at a time.
#pragma once

#include "protocol/queue/machine_context.hpp"

#include <deque>
#include <utility>

namespace turnstile::protocol {

/// After a reconnect no watch is armed, and every waiter has to search again. Ten thousand searches
/// at once would be answered late, and hold up beats and releases behind them.
class rewatch_queue {
public:
    using entries = std::deque<std::pair<ticket_id, std::uint64_t>>; // a ticket, and its epoch

    explicit rewatch_queue(machine_context& shared) : context_(shared) {}

    void start(entries rewatches);
    void clear() { waiting_.clear(); }

private:
    void next_batch();

    machine_context& context_;
    entries waiting_;
};

} // namespace turnstile::protocol
