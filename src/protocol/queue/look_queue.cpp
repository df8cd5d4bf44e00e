#include "protocol/queue/look_queue.hpp"

#include "protocol/queue/line.hpp"

namespace turnstile::protocol {

void look_queue::start(entries looks) {
    waiting_ = std::move(looks);
    if (core_.mutated(mutant::no_looks_after_reconnect))
        waiting_.clear();
    next_batch();
}

void look_queue::next_batch() {
    const auto window =
        core_.mutated(mutant::looks_all_at_once) ? waiting_.size() : core_.options.look_window;
    for (std::size_t i = 0; i < window && !waiting_.empty(); ++i) {
        const auto [id, epoch] = waiting_.front();
        waiting_.pop_front();
        if (const auto who = core_.find(id, epoch))
            who->where.look_again(*who);
    }
    if (waiting_.empty())
        return;
    // The answer to this one comes behind those of the batch.
    core_.wire.send(
        {.op = operation::exists, .path = "/"}, purpose::next_looks, [this](const reply& answer) {
            if (!outcome_unknown(answer.code) && !core_.mutated(mutant::only_first_batch_of_looks))
                next_batch();
        });
}

} // namespace turnstile::protocol
