#include "protocol/queue/rewatch_queue.hpp"

#include "protocol/queue/lock_queue.hpp"

namespace turnstile::protocol {

void rewatch_queue::start(entries rewatches) {
    waiting_ = std::move(rewatches);
    if (context_.mutated(mutant::no_looks_after_reconnect))
        waiting_.clear();
    next_batch();
}

void rewatch_queue::next_batch() {
    const auto window = context_.mutated(mutant::looks_all_at_once)
                            ? waiting_.size()
                            : context_.options.rewatch_window;
    for (std::size_t i = 0; i < window && !waiting_.empty(); ++i) {
        const auto [id, epoch] = waiting_.front();
        waiting_.pop_front();
        if (const auto who = context_.find(id, epoch))
            who->where.rewatch(*who);
    }
    if (waiting_.empty())
        return;
    // The answer to this one comes behind those of the batch.
    context_.requests.send({.op = operation::exists, .path = "/"}, request_purpose::rewatch,
                           [this](const reply& answer) {
                               if (!outcome_unknown(answer.code) &&
                                   !context_.mutated(mutant::only_first_batch_of_looks))
                                   next_batch();
                           });
}

} // namespace turnstile::protocol
