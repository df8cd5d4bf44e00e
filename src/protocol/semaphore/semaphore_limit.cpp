// SPDX-License-Identifier: BSL-1.0
// The limit: how many leases there are.
//
// The limit is the data of a node of its own below the lock path: a mutex that is used on that path
// by mistake sets the path's own data. All three nodes are made in one transaction, so the czxid of
// `limit` is that of `leases`, too, and one read tells limit, version and incarnation together.
#include "protocol/semaphore/semaphore.hpp"

#include "protocol/names/semaphore_names.hpp"

#include <utility>
#include <vector>

namespace turnstile::protocol {

void semaphore::learn() { read_limit(0); }

// A server may lag behind the others, and read an old limit. Once it has answered a transaction of
// this connection it reads none that is older. So whoever is refused is refused by such a read.
void semaphore::learn_for_sure() {
    if (asking_ || !context_.requests.connected())
        return;
    caught_up_ = !rules_.proves_refusals();
    if (!caught_up_)
        send({.op = operation::transact,
              .path = path_,
              .steps = {{.what = step_kind::check, .path = limit_path_}}},
             [this, epoch = epoch_](const reply& answer) {
                 if (epoch == epoch_ && !outcome_unknown(answer.code))
                     caught_up_ = answer.code != zookeeper_code::throttled;
             });
    read_limit(++questions_);
}

void semaphore::read_limit(std::uint64_t question) {
    if (asking_ || !context_.requests.connected())
        return;
    asking_ = true;
    const bool watch = anybody_in_line() && rules_.watches_limit();
    send({.op = operation::get, .path = limit_path_, .watch = watch},
         [this, watch, question, epoch = epoch_](const reply& answer) {
             if (epoch != epoch_ || outcome_unknown(answer.code))
                 return;
             asking_ = false;
             if (question > 0 && !caught_up_)
                 return look_later();
             on_limit(answer, watch, question);
         });
}

void semaphore::on_limit(const reply& answer, bool watched, std::uint64_t question) {
    using enum zookeeper_code;
    if (answer.code == no_node) {
        limit_.reset();
        torn_.reset();
        start_anew();
        return make(question);
    }
    if (answer.code == throttled)
        return look_later();
    if (answer.code != ok)
        return fail_waiting(failure_of_read(answer.code), answer.code);
    if (watched && !std::exchange(limit_watched_, true))
        context_.watches.add(limit_path_, watcher_);
    const auto value = parse_limit(answer.data);
    if (!value) {
        limit_.reset();
        return fail_waiting(failure::wrong_kind);
    }
    if (torn_ != answer.stat.czxid)
        torn_.reset();
    const known_limit found{.value = *value,
                            .version = answer.stat.version,
                            .incarnation = answer.stat.czxid,
                            .ctime = answer.stat.ctime,
                            .question = question};
    if (torn_ || part_missing_)
        return mend(found);
    rounds_ = 0;
    const auto before = std::exchange(limit_, found);
    if (!before || before->incarnation != found.incarnation)
        highest_ = -1;
    on_new_limit(!before || before->version != found.version ||
                 before->incarnation != found.incarnation);
    restart_numbers();
}

void semaphore::on_new_limit(bool differs) {
    for (const auto id : standing())
        if (const auto who = find(id); who && limit_)
            refuse(*who);
    start_all();
    if (!limit_watched_ && anybody_in_line() && rules_.watches_limit())
        learn();
    if (differs)
        look();
}

// Of one that stands in line. Whether it wishes for too many, or for another incarnation.
bool semaphore::refuse(acquire& who) {
    if (is_renewed(who)) {
        cancel(who.id, failure::path_renewed);
        return true;
    }
    if (!rules_.is_too_many(who.count, limit_->value))
        return false;
    if (rules_.may_refuse(limit_->question > who.questions))
        cancel(who.id, failure::too_many);
    else
        learn_for_sure();
    return true;
}

std::vector<ticket_id> semaphore::starting() const {
    std::vector<ticket_id> result;
    for (const auto& [id, who] : acquires_)
        if (who->now == stage::starting)
            result.push_back(id);
    return result;
}

std::vector<ticket_id> semaphore::standing() const {
    std::vector<ticket_id> result;
    for (const auto& [id, who] : acquires_)
        if (who->now == stage::in_line || who->now == stage::first)
            result.push_back(id);
    return result;
}

void semaphore::fail_starting(failure why, zookeeper_code code) {
    for (const auto id : starting())
        if (const auto who = find(id))
            fail(*who, why, code);
}

// Also those in line: without the limit none of them could take anything.
void semaphore::fail_waiting(failure why, zookeeper_code code) {
    fail_starting(why, code);
    const auto leaving = standing();
    for (auto next = leaving.rbegin(); next != leaving.rend(); ++next) // nobody inherits
        cancel(*next, why, code);
}

void semaphore::forget_watches() {
    if (std::exchange(limit_watched_, false))
        context_.watches.remove(limit_path_, watcher_);
    if (std::exchange(leases_watched_, false))
        context_.watches.remove(leases_path_, watcher_, watch_kind::children);
}

} // namespace turnstile::protocol
