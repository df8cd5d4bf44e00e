// SPDX-License-Identifier: BSL-1.0
#include "protocol/inspect/semaphore_change.hpp"

namespace turnstile::protocol {

namespace {

// Rounds of "it is not there" and "it is there already" before the path counts as unstable.
constexpr std::size_t most_attempts = 16;

} // namespace

request semaphore_change::question() const {
    using enum operation;
    switch (now_) {
    case step::listing:
        return {.op = get_children, .path = path_};
    case step::setting:
        return {.op = transact,
                .path = path_,
                .steps = {{.what = step_kind::set,
                           .path = limit_path(),
                           .data = limit_text(limit_),
                           .version = limit_version_}}};
    case step::making:
        return {.op = transact,
                .path = path_,
                .steps = steps_to_make(path_, path_version_, limit_, owned_)};
    case step::removing:
        return removal();
    case step::proving_absence:
        return {.op = check, .path = limit_path()};
    default:
        return {.op = get, .path = limit_path()};
    }
}

// The path's version makes it fail where a part was made anew, also where it comes late itself. A
// node with children is not deleted: so it fails where somebody stands or holds.
request semaphore_change::removal() const {
    request what{.op = operation::transact, .path = path_};
    what.steps.push_back({.what = step_kind::set, .path = path_, .version = path_version_});
    for (const auto& part : there_.parts)
        what.steps.push_back({.what = step_kind::remove,
                              .path = path_ + '/' + part,
                              .version = part == limit_name ? limit_version_ : -1});
    return what;
}

void semaphore_change::on_path(failure why, zookeeper_code code) {
    if (why != failure::none)
        return end(why, code);
    now_ = step::listing;
}

void semaphore_change::on_answer(const reply& answer) {
    // After a bad version somebody else has changed something: this goes on as long as others do.
    if (outcome_unknown(answer.code) || answer.code == zookeeper_code::bad_version) {
        now_ = first_step();
        return;
    }
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
    default:
        return;
    }
}

void semaphore_change::on_limit(const reply& answer) {
    if (refused(answer.code))
        return end(failure_of_read(answer.code), answer.code);
    if (answer.code == zookeeper_code::no_node) {
        if (wish_ == wish::read)
            return end(failure::no_limit);
        if (wish_ == wish::remove)
            return start_over();
        now_ = step::making_path;
        return;
    }
    const auto found = parse_limit(answer.data);
    if (!found)
        return end(failure::wrong_kind);
    limit_version_ = answer.stat.version;
    if (wish_ == wish::read) {
        limit_ = *found;
        return end(failure::none);
    }
    now_ = wish_ == wish::set ? step::setting : step::removing;
}

void semaphore_change::on_listed(const reply& answer) {
    if (refused(answer.code))
        return end(failure_of_read(answer.code), answer.code);
    const bool missing = answer.code == zookeeper_code::no_node;
    there_ = semaphore_nodes::of(answer.children);
    path_version_ = answer.stat.version;
    if (wish_ == wish::set) {
        if (missing || there_.has_limit()) // made, or gone, in the meantime
            return start_over();
        if (const auto why = there_.obstacle(); why != failure::none)
            return end(why);
    }
    if (wish_ == wish::remove && !there_.has_limit() &&
        (there_.parts.empty() || there_.others || there_.other_kind))
        now_ = step::proving_absence;
    else if (answer.stat.data_bytes > 0) // who makes or removes parts sets it to nothing
        end(failure::path_has_data);
    else if (wish_ == wish::set)
        now_ = step::making;
    else if (there_.has_limit())
        now_ = step::asking_limit; // it may be another program's node of that name
    else
        now_ = step::removing; // what is left of one
}

void semaphore_change::on_transaction(const reply& answer) {
    using enum zookeeper_code;
    switch (answer.code) {
    case ok:
        return end(failure::none);
    case no_node:
    case node_exists:
        return start_over();
    case not_empty: // somebody stands there, or holds
        return end(failure::would_block);
    case no_auth:
        return end(denial(answer), answer.code);
    default:
        return end(failure::server_error, answer.code);
    }
}

failure semaphore_change::denial(const reply& answer) const {
    if (now_ == step::making)
        return denial_of_make(answer);
    // The first step sets, and the others delete.
    const bool first = answer.results.empty() || answer.results[0].code == zookeeper_code::no_auth;
    return first ? failure::write_denied : failure::release_denied;
}

void semaphore_change::on_proved(const reply& answer) {
    using enum zookeeper_code;
    if (answer.code == no_node)
        return end(failure::none);
    if (answer.code == ok) // the listing was old
        return start_over();
    end(failure_of_read(answer.code), answer.code);
}

void semaphore_change::start_over() {
    if (++rounds_ > most_attempts)
        return end(failure::path_unstable);
    now_ = first_step();
}

void semaphore_change::end(failure why, zookeeper_code code) {
    now_ = step::over;
    why_ = why;
    code_ = code;
}

} // namespace turnstile::protocol
