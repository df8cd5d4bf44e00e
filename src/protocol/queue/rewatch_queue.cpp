// SPDX-License-Identifier: BSL-1.0
#include "protocol/queue/rewatch_queue.hpp"

#include "protocol/queue/lock_queue.hpp"

namespace turnstile::protocol {

void rewatch_queue::start(entries rewatches) {
    waiting_ = std::move(rewatches);
    next_batch();
}

void rewatch_queue::next_batch() {
    for (std::size_t i = 0; i < context_.options.rewatch_window && !waiting_.empty(); ++i) {
        const auto [id, epoch] = waiting_.front();
        waiting_.pop_front();
        if (const auto who = context_.find(id, epoch))
            who->where.rewatch(*who);
    }
    if (waiting_.empty())
        return;
    // The answer to this one comes behind those of the batch.
    context_.requests.send({.op = operation::exists, .path = "/"}, [this](const reply& answer) {
        if (!outcome_unknown(answer.code))
            next_batch();
    });
}

} // namespace turnstile::protocol
