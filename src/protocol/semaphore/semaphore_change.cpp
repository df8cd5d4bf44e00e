// SPDX-License-Identifier: BSL-1.0
#include "protocol/semaphore/semaphore_change.hpp"

#include "protocol/names/semaphore_names.hpp"
#include "protocol/names/ticket_name.hpp"

#include <algorithm>

namespace turnstile::protocol {

namespace {

// The path counts as unstable after this many rounds in which a node was missing, or there already.
constexpr std::size_t most_rounds = 16;

bool is_of_other_kind(const std::string& child) {
    return child == holder_name || parse_contender(child).has_value();
}

} // namespace

request semaphore_change::question() const {
    using enum operation;
    switch (step_) {
    case step::making_path: // it is not sent: inquiries takes the path from it
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
    if (step_ == step::setting)
        return {{.what = set,
                 .path = below(limit_name),
                 .data = limit_text(limit_),
                 .version = found_limit_.version}};
    std::vector<transaction_step> all;
    if (step_ == step::making) {
        // A session that makes a node below a lock path also sets the path. So the version of the
        // path shows that no other session has made one since the listing.
        all = {{.what = check, .path = path_, .version = found_path_.version},
               {.what = create, .path = below(limit_name), .data = limit_text(limit_)},
               {.what = create, .path = below(queue_name)},
               {.what = create, .path = below(permits_name)}};
        if (owned_)
            all.push_back({.what = check, .path = below(permits_name)});
        return all;
    }
    // The path's version makes the transaction fail if a node was made anew meanwhile, even if the
    // transaction is carried out late. It also fails if a ticket or a permit stands: the server
    // deletes no node with children.
    all = {{.what = set, .path = path_, .version = found_path_.version}};
    for (const auto& part : present_)
        all.push_back({.what = remove,
                       .path = below(part),
                       .version = part == limit_name ? found_limit_.version : -1});
    return all;
}

void semaphore_change::on_path(failure why, zookeeper_code code) {
    if (why != failure::none)
        return end(why, code);
    step_ = step::listing;
}

void semaphore_change::on_answer(const reply& answer) {
    const bool is_lost = outcome_unknown(answer.code);
    answer_lost_ |= is_lost && question().op == operation::transact;
    // After a bad version another session has changed something: these rounds are not counted.
    if (is_lost || answer.code == zookeeper_code::bad_version)
        return begin_again();
    switch (step_) {
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
    case step::making_path: // on_path() is called instead
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
            return begin_next_round();
        found_limit_ = {};
        step_ = step::making_path;
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
    step_ = wish_ == wish::set ? step::setting : step::removing;
}

void semaphore_change::on_listed(const reply& answer) {
    if (refused(answer.code))
        return end(failure_of_read(answer.code), answer.code);
    const auto& children = answer.children;
    present_.clear();
    std::ranges::copy_if(children, std::back_inserter(present_), is_of_semaphore);
    std::ranges::sort(present_);
    const bool has_limit = std::ranges::count(present_, limit_name) > 0;
    const bool other_kind = std::ranges::any_of(children, is_of_other_kind);
    const bool has_others = children.size() > present_.size(); // of a lock, or of another program
    if (wish_ != wish::remove) {
        // The path has gone meanwhile, or another session has made the semaphore.
        if (answer.code == zookeeper_code::no_node || has_limit)
            return begin_next_round();
        // If nodes of a semaphore are here, another program has deleted its limit.
        if (other_kind || !present_.empty())
            return end(failure::wrong_kind);
        if (has_others)
            return end(failure::nested_path);
    } else if (!has_limit && (present_.empty() || has_others)) {
        step_ = step::proving_absence;
        return;
    }
    // The path has changed since the lost answer: the semaphore may have been made and removed.
    if (answer_lost_ && wish_ == wish::set &&
        (answer.stat.czxid != found_path_.czxid ||
         answer.stat.child_version != found_path_.child_version))
        return end(failure::path_unstable);
    found_path_ = answer.stat;
    if (answer.stat.data_bytes > 0) // a set of the path would delete its data
        return end(failure::path_has_data);
    if (wish_ != wish::remove)
        step_ = step::making;
    else // the limit is read first: it may be another program's node of that name
        step_ = has_limit ? step::asking_limit : step::removing;
}

void semaphore_change::on_transaction(const reply& answer) {
    using enum zookeeper_code;
    switch (answer.code) {
    case ok:
        return end(failure::none);
    case no_node:
    case node_exists:
        return begin_next_round();
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
    // If the server does not say which step it refused, the first counts.
    const bool first = failed == 0 || failed == answer.results.size();
    if (step_ != step::making)
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
        return begin_next_round();
    end(failure_of_read(answer.code), answer.code);
}

// Whether the limit is another than the one that the transaction was sent for.
bool semaphore_change::lost_change_is_over(const reply& answer) const {
    // The limit is gone, so a set of that limit is over. A removal lists the path next.
    if (answer.code == zookeeper_code::no_node)
        return wish_ == wish::set && found_limit_.czxid != 0;
    // This session was to make the limit. If it has version 0 and the value that was wished, this
    // session has made it, or another has made the same. A later version was set after that.
    if (wish_ == wish::set && found_limit_.czxid == 0)
        return answer.stat.version > 0 || parse_limit(answer.data) == limit_;
    return answer.stat.czxid != found_limit_.czxid ||
           (wish_ == wish::set && answer.stat.version != found_limit_.version);
}

void semaphore_change::begin_next_round() {
    if (++rounds_ > most_rounds)
        return end(failure::path_unstable);
    begin_again();
}

void semaphore_change::begin_again() {
    if (wish_ == wish::make)
        return end(failure::none);
    step_ = first_step_;
}

} // namespace turnstile::protocol
