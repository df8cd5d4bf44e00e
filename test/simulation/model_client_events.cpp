// SPDX-License-Identifier: BSL-1.0
// What the machine of a model client tells, checked against what its user may expect.
#include "model_client.hpp"

#include "protocol/names/semaphore_names.hpp"
#include "protocol/names/ticket_name.hpp"
#include "support/names.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::test {

using promises::happening;
using promises::stage;
using protocol::failure;
using protocol::instant;
using protocol::ticket_id;

bool model_client::is_expected(const acquire& which, failure why) const {
    if (why == failure::cancelled)
        return which.cancelled;
    if (why == failure::path_renewed) // perhaps by an older memory than the caller's: it asks again
        return which.what.incarnation != 0;
    if (why == failure::taken_back) // or it shared the ticket of another part
        return static_cast<bool>(which.told);
    switch (static_cast<error>(why)) {
    case failure::timeout:
    case failure::unreachable:
        return which.what.limit.has_value();
    case failure::would_block:
        return !which.what.patient;
    case failure::wrong_kind:
        return which.what.path == single_node_path || which.what.path == semaphore_path;
    case failure::session_full:
        return small_budget_;
    case failure::session_closed:
        return closing_;
    case failure::too_many:
    case failure::no_limit:
        return around_.limit_changes && which.what.path == semaphore_path;
    case failure::path_unstable: // a lost answer may be of a semaphore that was made and removed
        return (around_.part_deletions || around_.limit_changes) &&
               which.what.path == semaphore_path;
    case failure::sequence_exhausted: // another program's node has the next name, in a new path
        return around_.part_deletions && around_.foreign_twins && which.what.path == semaphore_path;
    case failure::create_denied:
    case failure::read_denied:
        if ((why == failure::read_denied ? around_.hidden : around_.uncreatable)
                .contains(which.what.path))
            return true;
        [[fallthrough]];
    case failure::write_denied:
        return which.what.path == around_.denied;
    case failure::release_denied: // a session's end denies nothing
        return around_.undeletable.contains(which.what.path) && !session_ends_;
    default:
        return false;
    }
}

bool model_client::was_gone(const acquire& which) const {
    const auto gone = around_.deleted.find({which.czxid, which.what.path});
    return gone != around_.deleted.end() && gone->second.zxid <= met_at_;
}

bool model_client::was_deleted_as_owner(const lock_node& which) const {
    const auto gone = around_.deleted.find(which);
    return gone != around_.deleted.end() && gone->second.was_owners;
}

// Whether one server served for as long as a proof may take: three quarters of a timeout, and the
// time of the answers.
bool model_client::proof_was_to_be_had() const {
    const auto since = around_.ensemble.now() - around_.ensemble.timeout() * 13 / 16;
    return link_.undisturbed_since(since) && around_.ensemble.has_served_since(since);
}

void model_client::wrong(ticket_id id, const std::string& text) {
    around_.report(name_ + "'s ticket " + std::to_string(id) + ' ' + text);
}

void model_client::on_phase(session_state phase) { note("is " + name_of(phase)); }

// A limit says that no session could be made in time; nothing is done to one that is there.
void model_client::on_connect_result(failure why) {
    note("connect ends: " + name_of(why));
    connecting_ = false;
    connect_again_ = why == failure::connect_timeout && around_.ensemble.below(2) == 0;
    if (why != failure::none && !(why == failure::connect_timeout && around_.brief_connects))
        around_.report(name_ + " failed to connect without a reason: " + name_of(why));
}

void model_client::on_closed() {
    note("closed");
    closed_ = true;
}

void model_client::on_granted(ticket_id id, std::int64_t czxid) {
    stop_asking_for(id);
    note("granted " + std::to_string(id));
    if (stage_of(id) != stage::waiting)
        return see(id, happening::granted);
    auto& which = acquires_.at(id);
    which.czxid = czxid;
    const auto* const path = asked_.path_of(czxid, which.what.path);
    const auto name = path ? path->substr(path->rfind('/') + 1) : std::string();
    if (listing_ && path && std::find(listing_->begin(), listing_->end(), name) == listing_->end())
        wrong(id, "was granted by a listing in which it was missing");
    if (asked_.has_deleted(czxid, which.what.path))
        wrong(id, "was granted, and its own session had deleted it");
    if (was_gone(which))
        wrong(id, "was granted, and was gone before its session connected");
    if (is_doomed() || was_deleted_as_owner({czxid, which.what.path}))
        see(id, happening::excused);
    promises::event granted{.what = happening::granted,
                            .token = {static_cast<std::uint64_t>(czxid), 0}};
    if (const auto known = protocol::ticket_name::parse(name)) {
        granted.place = {static_cast<std::uint64_t>(known->incarnation), known->sequence};
        if (which.what.incarnation != 0 && which.what.incarnation != known->incarnation)
            wrong(id, "was granted in another lock path than the one that it had asked for");
    } else if (const auto permit = protocol::permit_name::parse(name)) {
        if (which.what.incarnation != 0 && which.what.incarnation != permit->incarnation)
            wrong(id,
                  "was granted permits of another semaphore than the one that it had asked for");
    }
    see(id, granted);
    if (which.what.max_hold) {
        which.limit = around_.ensemble.now() + *which.what.max_hold;
        around_.ensemble.events().at(*which.limit + protocol::duration{1},
                                     [this, id] { check_limit(id); });
    }
    if (!tell_part(id, happening::granted, failure::none))
        around_.on_held(*this, id);
}

void model_client::on_acquire_failed(ticket_id id, failure why, protocol::zookeeper_code) {
    stop_asking_for(id);
    note("failed " + std::to_string(id) + ' ' + name_of(why));
    see(id, {.what = happening::failed,
             .expected = is_expected(acquires_.at(id), why),
             .reason = name_of(why)});
    tell_part(id, happening::failed, why);
}

// The holder may use the margin of a loss by deadline: it believes until the deadline, unless it
// releases.
void model_client::on_lost(ticket_id id, failure why) {
    note("lost " + std::to_string(id) + ' ' + name_of(why));
    stop_awaiting(id);
    promises::loss how;
    auto& which = acquires_.at(id);
    const auto now = around_.ensemble.now();
    const bool by_limit = why == failure::held_too_long;
    if (by_limit) {
        which.held_too_long = true;
        how.warned = which.warned;
        how.believed = !around_.deleted.contains({which.czxid, which.what.path});
        if (!which.limit || now < *which.limit)
            wrong(id, "was lost before its limit");
    } else if (why == failure::lease_lost) {
        how.warned = at_risk_;
        how.believed = true;
        if (!around_.pauses) {
            how.tell_by = lease_.loss_at.time_since_epoch();
            how.avoidable = proof_was_to_be_had();
        }
    }
    see(id, {.what = happening::lost, .loss = how});
    tell_part(id, happening::lost, why);
    if (why != failure::lease_lost && !by_limit)
        return;
    const auto margin = lease_.deadline - lease_.loss_at;
    const auto end = by_limit ? std::min(now + margin, lease_.deadline) : lease_.deadline;
    const auto stop = [this, id] {
        if (stage_of(id) == stage::over)
            see(id, happening::stops_belief);
    };
    if (end <= now)
        stop();
    else
        around_.ensemble.events().at(end, stop);
}

// The holder was told of its loss before: it is promised no more than any holder whose ticket is
// deleted.
void model_client::end_margin(const lock_node& node) {
    for (const auto& [id, which] : acquires_)
        if (which.held_too_long && which.is_by(node) && stage_of(id) == stage::over)
            see(id, happening::stops_belief);
}

void model_client::on_limit_near(ticket_id id) {
    note("limit of " + std::to_string(id) + " is near");
    acquires_.at(id).warned = true;
}

// A paused process hears of it later.
void model_client::check_limit(ticket_id id) {
    if (!dead_ && !paused() && stage_of(id) == stage::held)
        wrong(id, "is held beyond its limit");
}

void model_client::on_released(ticket_id id, failure why, protocol::zookeeper_code) {
    note("released " + std::to_string(id) + ' ' + name_of(why));
    const auto& which = acquires_.at(id);
    const auto end = std::max(which.released_by, lease_.deadline);
    if (around_.ensemble.now() > end && paused_until_ <= end)
        wrong(id, "was waited for beyond its lease when it was released");
    see(id, {.what = happening::released,
             .expected = why != failure::release_denied || is_expected(which, why),
             .reason = name_of(why),
             .tells_loss = why == failure::lease_lost || why == failure::held_too_long});
    // After an expiry the node may stand for a while: a leader tells of an expiry before it carries
    // it out. (An enqueue that knew an older lock path may make a node of the same name for a
    // moment.)
    const auto* const path = asked_.path_of(which.czxid, which.what.path);
    const auto stands = [&] {
        return around_.ensemble.truth()
            .read({.op = protocol::operation::exists, .path = *path})
            .stat.czxid;
    };
    const bool shared = std::any_of(acquires_.begin(), acquires_.end(), [&](const auto& other) {
        return other.first != id && stage_of(other.first) != stage::over &&
               other.second.is_by({which.czxid, which.what.path});
    });
    if (why == failure::none && !session_ends_ && !shared && path && stands() == which.czxid)
        wrong(id, "was told that it is released, and stands");
}

void model_client::end_survey(protocol::inquiry_id id) {
    const auto [survey, then] = std::move(surveys_.extract(id).mapped());
    const auto why = survey->why();
    note("survey " + std::to_string(id) + " ends: " + name_of(why));
    if (why != failure::none && !(why == failure::read_denied && is_hidden(survey->path())) &&
        !(why == failure::session_closed && closing_))
        around_.report(name_ + "'s survey failed without a reason: " + name_of(why));
    if (why != failure::none)
        return;
    std::vector<std::string> line;
    for (const auto& each : survey->take())
        line.push_back(each.node);
    then(line);
}

void model_client::on_looked_up(protocol::inquiry_id lookup, failure why, protocol::zookeeper_code,
                                const protocol::lock_key& key) {
    end_look_up(lookup, why, key);
}

void model_client::end_change(protocol::inquiry_id id) {
    const auto change = std::move(changes_.extract(id).mapped());
    note("change ends: " + name_of(change->why()));
    acquire like; // which is refused for the same reasons
    like.what.path = semaphore_path;
    like.what.patient = change->is_set(); // else somebody may stand or hold
    if (change->why() != failure::none && !is_expected(like, change->why()))
        around_.report(name_ + "'s change of the semaphore failed without a reason: " +
                       name_of(change->why()));
}

void model_client::on_downgraded(ticket_id id, failure why, protocol::zookeeper_code) {
    note("downgraded " + std::to_string(id) + ' ' + name_of(why));
    auto& which = acquires_.at(id);
    if (which.downgrades == 0)
        return wrong(id, "was told of a downgrade that nobody had asked for");
    --which.downgrades;
    const bool lost = why == failure::lease_lost || why == failure::held_too_long ||
                      why == failure::session_expired || why == failure::ticket_deleted ||
                      why == failure::session_closed;
    const bool refused =
        why == failure::not_alone || why == failure::not_exclusive || why == failure::names_forbid;
    downgrades_ += why == failure::none ? 1 : 0;
    if (why == failure::none || lost)
        return;
    if (!refused && !is_expected(which, why) && why != failure::create_denied)
        wrong(id, "was not downgraded, without a reason: " + name_of(why));
    if (!refused) // it writes again
        see(id, {.what = happening::takes_other, .takes = around_.judge.lock_of(id).kind.all()});
}

void model_client::on_upgraded(ticket_id id, failure why, protocol::zookeeper_code,
                               std::int64_t czxid) {
    note("upgraded " + std::to_string(id) + ' ' + name_of(why));
    auto& which = acquires_.at(id);
    if (which.upgrades == 0)
        return wrong(id, "was told of an upgrade that nobody had asked for");
    --which.upgrades;
    const bool refused =
        why == failure::would_block || why == failure::not_shared || why == failure::names_forbid;
    const bool lost = why == failure::lease_lost || why == failure::held_too_long ||
                      why == failure::session_expired || why == failure::ticket_deleted ||
                      why == failure::session_closed;
    if (why == failure::none) {
        ++upgrades_;
        which.czxid = czxid;
        if (asked_.has_deleted(czxid, which.what.path))
            wrong(id, "was upgraded, and its own session had deleted it");
        if (is_doomed() || was_deleted_as_owner({czxid, which.what.path}))
            see(id, happening::excused);
        see(id, {.what = happening::takes_other,
                 .takes = around_.judge.lock_of(id).kind.all(),
                 .token = {static_cast<std::uint64_t>(czxid), 0}});
    } else if (!refused && !lost && !is_expected(which, why)) {
        wrong(id, "was not upgraded, without a reason: " + name_of(why));
    }
}

void model_client::on_deadline(const protocol::lease_instants& in_force) {
    if (in_force.loss_at > in_force.deadline)
        around_.report(name_ + ": losses are told after the deadline");
    if (in_force.risk >= in_force.loss_at && in_force.deadline > instant{})
        around_.report(name_ + ": a risk is no warning");
    lease_ = in_force;
}

void model_client::on_risk(bool at_risk) {
    note(at_risk ? "is at risk" : "is out of danger");
    at_risk_ = at_risk;
    const auto now = around_.ensemble.now();
    if (at_risk && now < lease_.risk)
        around_.report(name_ + ": a risk was told early");
}

void model_client::on_note(log_level, std::string_view text) {
    note("notes: " + std::string(text));
}

} // namespace turnstile::test
