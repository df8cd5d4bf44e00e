// SPDX-License-Identifier: BSL-1.0
#include "journal.hpp"

#include "lock_user.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <utility>

namespace turnstile::test {

using promises::acquire_id;
using promises::happening;

namespace {

std::string text_of(const error_code& code) {
    return std::string{code.category().name()} + ':' + std::to_string(code.value()) + " (" +
           code.message() + ")";
}

} // namespace

journal::journal(const promises::lock_kind& kind)
    : judge_([this](acquire_id which) { return name_of(which); }) {
    judge_.add(kind, {});
}

void journal::see(acquire_id which, promises::event what) {
    what.who = which;
    what.when = lease_clock::now().time_since_epoch();
    judge_.see(what);
}

acquire_id journal::asks(const lock_user& who) {
    const auto which = asked_.size();
    asked_.push_back({&who, who.name});
    const auto all = judge_.locks().front().kind.all();
    see(which, {.what = happening::asks, .takes = who.reads ? promises::reader : all});
    return which;
}

void journal::granted(acquire_id which) {
    // Holders that do not believe in their locks any more, perhaps by the deadline alone. (A copy:
    // what the judge sees changes its list.)
    const auto holders = judge_.locks().front().holders.holders();
    for (const auto& each : holders)
        if (!asked_[each.who].who->lock.is_held())
            see(each.who, {.what = happening::stops_belief});
    const auto& who = *asked_[which].who;
    see(which, {.what = happening::granted, .token = {who.token.czxid(), who.token.count()}});
    grants.push_back({&who, who.token});
}

void journal::see_end(acquire_id which, happening what, const error_code& result) {
    const auto& who = *asked_[which].who;
    const auto reason = text_of(result);
    const bool cancelled = who.cancelled && result == boost::asio::error::operation_aborted;
    see(which, {.what = what,
                .expected = !result || cancelled || !may_fail || may_fail(who, result),
                .reason = reason});
}

void journal::failed(acquire_id which, const error_code& why) {
    see_end(which, happening::failed, why);
}

void journal::lost(acquire_id which, const error_code& why) {
    const auto& who = *asked_[which].who;
    see(which, {.what = happening::lost,
                .loss = what_is_known ? what_is_known(who, why) : promises::loss{}});
}

void journal::downgrades(acquire_id which) {
    see(which, {.what = happening::takes_other, .takes = promises::reader});
}

// The writer has a token of its own, which is above those of all readers before.
void journal::upgraded(acquire_id which) {
    const auto& its = asked_[which].who->token;
    see(which, {.what = happening::takes_other,
                .takes = judge_.locks().front().kind.all(),
                .token = {its.czxid(), its.count()}});
}

void journal::releases(acquire_id which, bool awaited) {
    see(which, {.what = happening::releases, .awaited = awaited});
}

void journal::released(acquire_id which, const error_code& result) {
    see_end(which, happening::released, result);
}

void journal::excuse_holders() {
    const auto holders = judge_.locks().front().holders.holders();
    for (const auto& each : holders)
        see(each.who, {.what = happening::excused});
}

bool journal::in_order(const std::vector<const lock_user*>& expected) const {
    auto next = expected.begin();
    for (const auto& grant : grants)
        if (next != expected.end() && grant.who == *next)
            ++next;
    return next == expected.end();
}

std::string journal::name_of(acquire_id which) const {
    const auto& its = judge_.of(which).token;
    auto result = asked_[which].name + "'s acquire " + std::to_string(which);
    if (its.czxid != 0)
        result += " (token " + fencing_token{its.czxid, its.count}.str() + ')';
    return result;
}

} // namespace turnstile::test
