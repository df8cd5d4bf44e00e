// SPDX-License-Identifier: BSL-1.0
#include "judge.hpp"

#include "lost_in_time.hpp"

#include <stdexcept>
#include <utility>

namespace turnstile::promises {

namespace {

std::size_t is_open(stage now) { return now == stage::unknown || now == stage::over ? 0 : 1; }

} // namespace

lock_id judge::add(const lock_kind& kind, std::string name) {
    locks_.push_back({.kind = kind, .name = std::move(name)});
    return locks_.size() - 1;
}

lock_id judge::lock_named(std::string_view name) const {
    for (lock_id which = 0; which < locks_.size(); ++which)
        if (locks_[which].name == name)
            return which;
    throw std::out_of_range("the judge knows no such lock");
}

const judge::acquire& judge::of(acquire_id who) const {
    static const acquire nobody;
    return who < acquires_.size() ? acquires_[who] : nobody;
}

void judge::see(const event& next) {
    if (next.who >= acquires_.size())
        acquires_.resize(next.who + 1);
    auto& its = acquires_[next.who];
    const auto before = its.its.now;
    if (const auto wrong = live_on(its.its, next); !wrong.empty())
        return found_.add(promise::once, next.who, wrong);
    if (!next.expected)
        found_.add(promise::once, next.who,
                   std::string("failed without a reason: ").append(next.reason));
    open_ += is_open(its.its.now) - is_open(before);
    switch (next.what) {
    case happening::asks:
        its.lock = next.lock;
        its.takes = next.takes;
        its.with = next.with == 0 ? next.who : acquires_[next.with].with;
        break;
    case happening::granted:
        grant(next, its);
        break;
    case happening::lost:
        lose(next, its, before);
        break;
    case happening::takes_other:
        take_other(next, its);
        break;
    case happening::stops_belief:
    case happening::releases:
    case happening::dies:
        end_belief(next, its);
        break;
    case happening::excused:
    case happening::excuse_over:
        excuse(next, its);
        break;
    case happening::released:
        if (next.tells_loss && !its.its.lost)
            found_.add(promise::lost_in_time, next.who, "had been lost without a word");
        break;
    case happening::failed:
    case happening::cancelled:
        break;
    }
}

void judge::grant(const event& next, acquire& its) {
    its.token = next.token;
    begin_belief(next, its);
    if (its.excuses > 0)
        return; // it may be told late
    auto& where = locks_[its.lock];
    where.granted.granted(where.kind, next.who, its.takes, next.token, found_);
    if (next.place)
        where.served.granted(where.kind, next.who, its.takes, *next.place, found_);
}

void judge::lose(const event& next, acquire& its, stage before) {
    if (before != stage::held)
        return; // it is being released, and whoever asked for that hears how it ends
    check_loss(next.who, next.loss, next.when, its.was_excused, found_);
    if (!next.loss.believed)
        end_belief(next, its);
}

void judge::begin_belief(const event& next, acquire& its) {
    its.believes = true;
    its.was_excused = its.excuses > 0;
    count(next, its);
}

void judge::end_belief(const event& next, acquire& its) {
    if (!std::exchange(its.believes, false))
        return;
    end_hold(next, its);
}

void judge::take_other(const event& next, acquire& its) {
    const bool counts = its.believes && its.excuses == 0;
    auto& where = locks_[its.lock];
    if (counts && next.takes < its.takes) // its other handles count on what it had
        end_hold(next, its);
    else if (counts)
        where.holders.interrupts(where.kind, next.who, next.when, found_);
    its.takes = next.takes;
    if (next.token != token{})
        its.token = next.token;
    if (counts && next.token != token{})
        where.granted.granted(where.kind, next.who, next.takes, next.token, found_);
    if (counts)
        count(next, its);
}

void judge::excuse(const event& next, acquire& its) {
    if (next.what == happening::excuse_over) {
        --its.excuses;
        if (its.believes)
            count(next, its);
    } else if (++its.excuses == 1 && its.believes) {
        its.was_excused = true;
        end_hold(next, its);
    }
}

void judge::end_hold(const event& next, acquire& its) {
    auto& where = locks_[its.lock];
    if (const auto heir = where.holders.ends(where.kind, next.who, next.when, found_))
        acquires_[*heir].takes = std::exchange(its.takes, 0);
}

/// A belief counts as long as nothing excuses it.
void judge::count(const event& next, const acquire& its) {
    if (its.excuses > 0)
        return;
    auto& where = locks_[its.lock];
    where.holders.begins(where.kind, next.who, its.takes, next.when, found_, its.with);
}

void judge::finish() {
    for (acquire_id who = 0; who < acquires_.size(); ++who)
        check_served(who, acquires_[who].its, found_);
}

std::vector<std::string> texts_of(const judge& which) {
    std::vector<std::string> result;
    for (const auto& each : which.violations())
        result.push_back(each.text);
    return result;
}

} // namespace turnstile::promises
