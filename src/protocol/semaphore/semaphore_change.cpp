// SPDX-License-Identifier: BSL-1.0
#include "protocol/semaphore/semaphore_change.hpp"

#include "protocol/names/semaphore_names.hpp"
#include "protocol/names/ticket_name.hpp"

#include <algorithm>

namespace turnstile::protocol {

namespace {

// Rounds of "it is not there" and "it is there already" before the path counts as unstable.
constexpr std::size_t most_attempts = 16;

bool is_of_other_kind(const std::string& child) {
    return child == holder_name || parse_contender(child).has_value();
}

} // namespace

request semaphore_change::question() const {
    using enum operation;
    switch (now_) {
    case step::making_path:
        return {.op = create_container, .path = path_};
    case step::listing:
        return {.op = get_children, .path = path_};
    case step::setting:
    case step::making:
    case step::removing:
        return {.op = transact, .path = path_, .steps = steps()};
    case step::proving_absence:
        return {.op = check, .path = below(limit_name)};
    case step::asking_limit:
        break;
    }
    return {.op = get, .path = below(limit_name)};
}

std::vector<transaction_step> semaphore_change::steps() const {
    using enum step_kind;
    if (now_ == step::setting)
        return {{.what = set,
                 .path = below(limit_name),
                 .data = limit_text(limit_),
                 .version = found_limit_.version}};
    std::vector<transaction_step> all;
    if (now_ == step::making) {
        // On a lock path of this version: a session that makes a node below it sets it first.
        all = {{.what = check, .path = path_, .version = found_path_.version},
               {.what = create, .path = below(limit_name), .data = limit_text(limit_)},
               {.what = create, .path = below(queue_name)},
               {.what = create, .path = below(permits_name)}};
        if (owned_)
            all.push_back({.what = check, .path = below(permits_name)});
        return all;
    }
    // The path's version makes the transaction fail if a part was made anew, even if the
    // transaction itself comes late. A node with children is not deleted: so it fails if a ticket
    // or a permit stands.
    all = {{.what = set, .path = path_, .version = found_path_.version}};
    for (const auto& part : there_)
        all.push_back({.what = remove,
                       .path = below(part),
                       .version = part == limit_name ? found_limit_.version : -1});
    return all;
}

void semaphore_change::on_path(failure why, zookeeper_code code) {
    if (why != failure::none)
        return end(why, code);
    now_ = step::listing;
}

void semaphore_change::on_answer(const reply& answer) {
    const bool is_lost = outcome_unknown(answer.code);
    answer_lost_ |= is_lost && question().op == operation::transact;
    // After a bad version others have changed something: this goes on as long as they do.
    if (is_lost || answer.code == zookeeper_code::bad_version)
        return begin_again();
    switch (now_) {
    case step::asking_limit:
        return on_limit(answer);
    case step::listing:
        return on_listed(answer);
    case step::setting:
    case step::making:
    case step::removing:
        return on_transaction(answer);
    case step::proving_absence:
        return on_proved(answer);
    case step::making_path: // its end comes to on_path()
        return;
    }
}

void semaphore_change::on_limit(const reply& answer) {
    if (refused(answer.code))
        return end(failure_of_read(answer.code), answer.code);
    if (answer_lost_ && lost_change_is_over(answer))
        return end(failure::none);
    if (answer.code == zookeeper_code::no_node) {
        if (wish_ == wish::read)
            return end(failure::no_limit);
        if (wish_ == wish::remove)
            return begin_again_counted();
        found_limit_ = {};
        now_ = step::making_path;
        return;
    }
    const auto found = parse_limit(answer.data);
    if (!found)
        return end(failure::wrong_kind);
    found_limit_ = answer.stat;
    if (wish_ == wish::read) {
        limit_ = *found;
        return end(failure::none);
    }
    now_ = wish_ == wish::set ? step::setting : step::removing;
}

void semaphore_change::on_listed(const reply& answer) {
    if (refused(answer.code))
        return end(failure_of_read(answer.code), answer.code);
    const auto& children = answer.children;
    there_.clear();
    std::ranges::copy_if(children, std::back_inserter(there_), is_of_semaphore);
    std::ranges::sort(there_);
    const bool has_limit = std::ranges::count(there_, limit_name) > 0;
    const bool other_kind = std::ranges::any_of(children, is_of_other_kind);
    const bool has_others = children.size() > there_.size(); // of a lock, or of another program
    if (wish_ != wish::remove) {
        if (answer.code == zookeeper_code::no_node || has_limit) // made, or gone, in the meantime
            return begin_again_counted();
        if (other_kind || !there_.empty()) // another program has deleted the limit
            return end(failure::wrong_kind);
        if (has_others)
            return end(failure::nested_path);
    } else if (!has_limit && (there_.empty() || has_others)) {
        now_ = step::proving_absence;
        return;
    }
    // Made and removed since the lost answer, or neither: nothing shows whether it has happened.
    if (answer_lost_ && wish_ == wish::set &&
        (answer.stat.czxid != found_path_.czxid ||
         answer.stat.child_version != found_path_.child_version))
        return end(failure::path_unstable);
    found_path_ = answer.stat;
    if (answer.stat.data_bytes > 0) // this session would set it to nothing
        return end(failure::path_has_data);
    if (wish_ != wish::remove)
        now_ = step::making;
    else // a limit may be another program's node of that name
        now_ = has_limit ? step::asking_limit : step::removing;
}

void semaphore_change::on_transaction(const reply& answer) {
    using enum zookeeper_code;
    switch (answer.code) {
    case ok:
        return end(failure::none);
    case no_node:
    case node_exists:
        return begin_again_counted();
    case not_empty: // a ticket or a permit stands there
        return end(failure::would_block);
    case no_auth:
        return end(denial(answer), answer.code);
    default:
        return end(failure::server_error, answer.code);
    }
}

failure semaphore_change::denial(const reply& answer) const {
    const auto failed = failed_step(answer);
    const bool first = failed == 0 || failed == answer.results.size(); // or the server does not say
    if (now_ != step::making)
        return first ? failure::write_denied : failure::release_denied;
    if (first)
        return failure::read_denied;
    return steps()[failed].what == step_kind::create ? failure::create_denied
                                                     : failure::owner_unknown;
}

void semaphore_change::on_proved(const reply& answer) {
    using enum zookeeper_code;
    if (answer.code == no_node)
        return end(failure::none);
    if (answer.code == ok) // the listing was old
        return begin_again_counted();
    end(failure_of_read(answer.code), answer.code);
}

/// Whether the limit is not the one any more that the transaction without an answer was sent for.
bool semaphore_change::lost_change_is_over(const reply& answer) const {
    if (answer.code == zookeeper_code::no_node) // a removal asks for the path's children next
        return wish_ == wish::set && found_limit_.czxid != 0;
    // We were to make it. With version 0 and our limit it is ours, unless another made the same.
    // With a later version it was set after we, or another, made it.
    if (wish_ == wish::set && found_limit_.czxid == 0)
        return answer.stat.version > 0 || parse_limit(answer.data) == limit_;
    return answer.stat.czxid != found_limit_.czxid ||
           (wish_ == wish::set && answer.stat.version != found_limit_.version);
}

void semaphore_change::begin_again_counted() {
    if (++rounds_ > most_attempts)
        return end(failure::path_unstable);
    begin_again();
}

void semaphore_change::begin_again() {
    if (wish_ == wish::make)
        return end(failure::none);
    now_ = first_;
}

} // namespace turnstile::protocol
