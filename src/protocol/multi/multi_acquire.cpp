// SPDX-License-Identifier: BSL-1.0
#include "protocol/multi/multi_acquire.hpp"

#include <algorithm>
#include <numeric>

namespace turnstile::protocol {

namespace {

// After this many rounds of look-ups the lock paths count as unstable. One more is allowed for each
// part: a server deletes containers that are empty one after the other.
constexpr std::size_t most_look_ups = 64;

} // namespace

multi_acquire::multi_acquire(std::vector<std::optional<lock_key>> known, std::optional<instant> end)
    : end_(end), keys_(std::move(known)), states_(keys_.size()) {}

multi_acquire::actions multi_acquire::start(instant now) {
    actions todo;
    if (phase_ == phase::over)
        return todo; // it was cancelled before
    look_up_missing(now, todo);
    if (todo.empty())
        begin_acquiring(now, todo);
    return todo;
}

std::optional<duration> multi_acquire::time_left(instant now) const {
    return end_ ? std::optional{std::max(*end_ - now, duration::zero())} : std::nullopt;
}

void multi_acquire::look_up_missing(instant now, actions& todo) {
    for (std::size_t part = 0; part < keys_.size(); ++part)
        if (!keys_[part]) {
            ask(part);
            todo.push_back({.what = step::look_up, .part = part, .limit = time_left(now)});
        }
}

void multi_acquire::ask(std::size_t part) {
    states_[part] = state::asked;
    ++unanswered_;
}

void multi_acquire::answered(std::size_t part, state becomes) {
    states_[part] = becomes;
    --unanswered_;
}

multi_acquire::actions multi_acquire::on_found(instant now, std::size_t part, const lock_key& key) {
    actions todo;
    answered(part, state::idle);
    if (phase_ == phase::looking_up)
        keys_[part] = key;
    go_on(now, todo);
    return todo;
}

void multi_acquire::begin_acquiring(instant now, actions& todo) {
    phase_ = phase::acquiring;
    order_.resize(keys_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::sort(order_.begin(), order_.end(),
              [this](std::size_t left, std::size_t right) { return *keys_[left] < *keys_[right]; });
    for (std::size_t place = 1; place < order_.size(); ++place)
        if (*keys_[order_[place - 1]] == *keys_[order_[place]]) {
            let_go(todo); // parts that were held before a path was made anew
            return end(step::duplicate, std::max(order_[place - 1], order_[place]), todo);
        }
    last_batch_gained_ = true;
    acquire_next(now, todo);
}

void multi_acquire::acquire_next(instant now, actions& todo) {
    const auto missing = std::find_if(order_.begin(), order_.end(), [this](std::size_t part) {
        return states_[part] != state::held;
    });
    if (missing == order_.end()) {
        phase_ = phase::complete;
        todo.push_back({.what = step::granted});
        return;
    }
    // A part behind a missing one is held too early: the holder of the missing part may wait for
    // it.
    for (auto next = order_.end(); next != missing;)
        if (states_[*--next] == state::held)
            release(*next, todo);
    // After a batch that was granted nothing, the first part is asked for alone: it may have to
    // wait.
    const auto group = groups_.empty() ? 0 : groups_[*missing];
    const bool alone = !last_batch_gained_ || group == 0;
    last_batch_gained_ = false;
    for (auto next = missing; next != order_.end(); ++next) {
        if (next != missing && (alone || groups_[*next] != group))
            break;
        if (next != missing)
            todo.back().with_next = true;
        ask(*next);
        todo.push_back({.what = step::acquire,
                        .part = *next,
                        .key = *keys_[*next],
                        .limit = time_left(now),
                        .later_part = next != order_.begin()});
    }
}

void multi_acquire::go_on(instant now, actions& todo) {
    if (unanswered_ > 0 || phase_ == phase::over)
        return;
    if (phase_ == phase::looking_up)
        return begin_acquiring(now, todo);
    if (phase_ == phase::retreating) // a part was lost: all keys are asked for again
        std::fill(keys_.begin(), keys_.end(), std::nullopt);
    if (std::find(keys_.begin(), keys_.end(), std::nullopt) != keys_.end()) {
        forget_keys_of_unheld_parts();
        return look_up_again(now, todo);
    }
    acquire_next(now, todo);
}

multi_acquire::actions multi_acquire::on_granted(instant now, std::size_t part) {
    actions todo;
    answered(part, state::held);
    last_batch_gained_ = true;
    if (phase_ != phase::acquiring) // another part was lost, or all is over
        release(part, todo);
    go_on(now, todo);
    return todo;
}

multi_acquire::actions multi_acquire::on_taken_back(instant now, std::size_t part) {
    actions todo;
    answered(part, state::idle);
    go_on(now, todo);
    return todo;
}

multi_acquire::actions multi_acquire::on_failed(instant now, std::size_t part) {
    actions todo;
    answered(part, state::idle);
    if (phase_ == phase::retreating) {
        go_on(now, todo);
    } else if (phase_ != phase::over) {
        let_go(todo);
        end(step::failed, part, todo);
    }
    return todo;
}

multi_acquire::actions multi_acquire::on_renewed(instant now, std::size_t part) {
    actions todo;
    answered(part, state::idle);
    renewed_ = part;
    if (phase_ == phase::acquiring)
        keys_[part].reset();
    go_on(now, todo);
    return todo;
}

multi_acquire::actions multi_acquire::on_lost(instant now, std::size_t part) {
    actions todo;
    const bool counts = phase_ != phase::retreating && phase_ != phase::over;
    if (!counts || states_[part] != state::held)
        return todo;
    let_go(todo);
    phase_ = phase::retreating;
    go_on(now, todo);
    return todo;
}

// If one path was deleted for being empty, the others may have been as well. Each path that is
// found missing by itself would cost a round.
void multi_acquire::forget_keys_of_unheld_parts() {
    for (std::size_t part = 0; part < keys_.size(); ++part)
        if (states_[part] == state::idle)
            keys_[part].reset();
}

void multi_acquire::look_up_again(instant now, actions& todo) {
    if (++rounds_ == most_look_ups + keys_.size()) {
        let_go(todo);
        return end(step::unstable, renewed_, todo);
    }
    phase_ = phase::looking_up;
    look_up_missing(now, todo);
}

multi_acquire::actions multi_acquire::cancel() {
    actions todo;
    if (phase_ == phase::over)
        return todo;
    if (phase_ != phase::retreating) // else it has let go already
        let_go(todo);
    end(step::cancelled, 0, todo);
    return todo;
}

// Releases the last part first: the next holder of a part then finds the parts behind it free.
void multi_acquire::let_go(actions& todo) {
    for (std::size_t part = 0; part < states_.size(); ++part)
        if (states_[part] == state::asked)
            todo.push_back({.what = step::cancel, .part = part});
    for (auto next = order_.rbegin(); next != order_.rend(); ++next)
        if (states_[*next] == state::held)
            release(*next, todo);
}

void multi_acquire::release(std::size_t part, actions& todo) {
    states_[part] = state::idle;
    todo.push_back({.what = step::release, .part = part});
}

void multi_acquire::end(step how, std::size_t part, actions& todo) {
    phase_ = phase::over;
    todo.push_back({.what = how, .part = part});
}

} // namespace turnstile::protocol
