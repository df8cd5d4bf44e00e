// SPDX-License-Identifier: BSL-1.0
// The three nodes: how they come into being, and what becomes of a semaphore that lacks one.
//
// All three are made in one transaction. Where another hand has deleted one of them, or has made
// one by itself, nobody can take leases: whoever stands in line starts anew, and one transaction
// makes all three again. It deletes those that are left, so it fails where somebody stands or
// holds.
#include "protocol/semaphore/semaphore.hpp"

#include "protocol/names/semaphore_names.hpp"
#include "protocol/names/ticket_name.hpp"
#include "protocol/queue/lock_queue.hpp"
#include "protocol/semaphore/semaphore_nodes.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace turnstile::protocol {

namespace {

// Rounds of "it is not there" and "it is there already" before the path counts as unstable.
constexpr std::size_t most_searches = 16;

} // namespace

bool semaphore::searches_on() {
    if (++rounds_ <= most_searches)
        return true;
    rounds_ = 0;
    fail_waiting(failure::path_unstable);
    return false;
}

// The first that states a limit makes the semaphore. `question`: whose answer says that it is
// missing.
void semaphore::make(std::uint64_t question) {
    const auto states_limit = [](const auto& entry) {
        return entry.second->now == stage::starting && entry.second->limit;
    };
    if (std::none_of(acquires_.begin(), acquires_.end(), states_limit)) {
        for (const auto id : starting())
            if (const auto who = find(id); who && rules_.may_refuse(question > who->questions))
                fail(*who, failure::no_limit);
        if (!starting().empty())
            learn_for_sure();
        return;
    }
    if (!searches_on())
        return;
    asking_ = true;
    directory_.find();
}

// The limit is there, and what belongs to it may be missing.
void semaphore::mend(const known_limit& found) {
    if (!searches_on())
        return;
    asking_ = true;
    look_around(found);
}

void semaphore::miss_part() {
    part_missing_ = true;
    limit_.reset();
    learn();
}

// The leases are of another incarnation. Either the limit is old, or it was made by itself.
void semaphore::doubt_limit() {
    if (limit_)
        torn_ = limit_->incarnation;
    limit_.reset();
}

void semaphore::look_around(const std::optional<known_limit>& found) {
    send({.op = operation::get_children, .path = path_},
         [this, found, epoch = epoch_](const reply& answer) {
             if (epoch != epoch_ || outcome_unknown(answer.code))
                 return;
             asking_ = false;
             on_looked_around(answer, found);
         });
}

void semaphore::on_looked_around(const reply& answer, const std::optional<known_limit>& found) {
    using enum zookeeper_code;
    if (answer.code == no_node)
        return learn();
    if (answer.code == throttled)
        return look_later();
    if (answer.code != ok)
        return fail_waiting(failure_of_read(answer.code), answer.code);
    const auto there = semaphore_nodes::of(answer.children);
    if (there.parts.size() == 3 && !torn_) {
        part_missing_ = false;
        return learn();
    }
    if (found && !there.has_limit())
        return learn();                // it was removed in the meantime
    if (!found && there.has_limit()) { // made in the meantime
        part_missing_ = true;
        return learn();
    }
    if (const auto why = rules_.obstacle(there); why != failure::none)
        return fail_waiting(why);
    if (answer.stat.data_bytes > 0) // it came after the path was found
        return fail_waiting(failure::path_has_data);
    start_anew();
    const auto maker = std::ranges::find_if(acquires_, [](const auto& entry) {
        return entry.second->now == stage::starting && entry.second->limit;
    });
    if (!found && maker == acquires_.end())
        return learn();
    // A limit that is left is kept, unless somebody has set it since it was read.
    send_make(answer.stat.version,
              found ? *found : known_limit{.value = *maker->second->limit, .version = -1},
              there.parts);
}

void semaphore::send_make(std::int32_t version, const known_limit& limit,
                          const std::set<std::string>& left) {
    asking_ = true;
    send({.op = operation::transact,
          .path = path_,
          .steps = steps_to_make(path_, version, limit.value, left, limit.version,
                                 context_.options.directories == directory_rights::own)},
         [this, old_parts = left.size(), epoch = epoch_](const reply& answer) {
             if (epoch != epoch_ || outcome_unknown(answer.code))
                 return;
             asking_ = false;
             on_made(answer, old_parts);
         });
}

void semaphore::on_made(const reply& answer, std::size_t old_parts) {
    using enum zookeeper_code;
    switch (answer.code) {
    case no_auth:
        return fail_starting(denial_of_make(answer, old_parts), answer.code);
    case ok:
        part_missing_ = retried_ = false;
        torn_.reset();
        [[fallthrough]];
    case node_exists: // by somebody else, who may have stated another limit
    case bad_version:
    case no_node:
        return learn();
    case not_empty:
        return on_not_empty();
    case throttled:
        return look_later();
    default:
        return fail_starting(failure::server_error, answer.code);
    }
}

// Somebody stands in what is left, or holds: perhaps this session, with what it was not allowed to
// delete. What stands after it was tried again stands until the session ends.
void semaphore::on_not_empty() {
    auto& line = family_.queues.at(queue_path_, lock_queue::purpose::part);
    if (line.has_undeletable() && std::exchange(retried_, true)) {
        retried_ = false;
        return fail_waiting(failure::release_denied, zookeeper_code::no_auth);
    }
    leaving_.retry();
    line.retry_undeletable();
    for (const auto id : starting())
        if (const auto who = find(id); who && !who->patient)
            fail(*who, failure::would_block);
    look_later();
}

// Whoever stands in line leaves it: its ticket may be gone, and would be good for nothing.
void semaphore::start_anew() {
    const auto leaving = standing();
    first_.reset();
    for (auto next = leaving.rbegin(); next != leaving.rend(); ++next) { // nobody inherits
        const auto who = find(*next);
        if (!who || (who->now != stage::in_line && who->now != stage::first))
            continue;
        leave_line(*who);
        who->now = stage::starting;
        if (!who->unknown_takes.empty())
            sweep_soon();
        restart(*who);
    }
}

// Of a lease, or of a ticket in the line.
std::int32_t semaphore::highest() const {
    const auto* const queue = family_.queues.find(queue_path_);
    const bool known = queue && limit_ && queue->directory().incarnation() == limit_->incarnation;
    return known ? std::max(highest_, queue->directory().highest()) : highest_;
}

// Nobody of this session is there: all three nodes are made anew with the same limit, so that both
// counters start again. The transaction fails where somebody else is there.
void semaphore::restart_numbers() {
    if (highest() < sequence_high || !limit_ || asking_ || !acquires_.empty() ||
        !leaving_.empty() || !context_.requests.connected() || context_.now() < numbers_rest_)
        return;
    using enum step_kind;
    const auto limit = *std::exchange(limit_, std::nullopt);
    asking_ = true;
    send({.op = operation::transact,
          .path = path_,
          .steps = {{.what = remove, .path = limit_path_, .version = limit.version},
                    {.what = remove, .path = queue_path_},
                    {.what = remove, .path = leases_path_},
                    {.what = create, .path = limit_path_, .data = limit_text(limit.value)},
                    {.what = create, .path = queue_path_},
                    {.what = create, .path = leases_path_}}},
         [this, limit, epoch = epoch_](const reply& answer) {
             if (epoch != epoch_ || outcome_unknown(answer.code))
                 return;
             asking_ = false;
             if (answer.code == zookeeper_code::not_empty) { // others are there
                 limit_ = limit;
                 numbers_rest_ = context_.now() + lease_plan::asked_again(context_.lease.timeout());
             }
             start_all(); // whoever came in the meantime
         });
}

} // namespace turnstile::protocol
