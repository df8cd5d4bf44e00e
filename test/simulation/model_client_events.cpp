// What a model client's machine tells, held against what its user may expect.
#include "model_client.hpp"

#include "support/names.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::test {

using protocol::failure;
using protocol::instant;
using protocol::ticket_id;

bool model_client::is_expected(const acquire& which, failure why,
                               protocol::zookeeper_code code) const {
    switch (why) {
    case failure::cancelled:
        return which.cancelled;
    case failure::timed_out:
        return which.what.limit.has_value();
    case failure::would_block:
        return !which.what.patient;
    case failure::session_full:
        return small_budget_;
    case failure::session_closed:
        return closing_;
    case failure::create_denied:
    case failure::read_denied:
        if (around_.hidden.contains(which.what.path) && why == failure::read_denied)
            return true;
        [[fallthrough]];
    case failure::write_denied:
        return which.what.path == around_.denied;
    case failure::release_denied: // a session's end denies nothing
        return around_.undeletable.contains(which.what.path) && !session_ends_;
    case failure::server_error:
        return around_.throttles && code == protocol::zookeeper_code::throttled;
    default:
        return false;
    }
}

bool model_client::was_gone(const acquire& which) const {
    const auto gone = around_.deleted.find(which.czxid);
    return gone != around_.deleted.end() && gone->second <= met_at_;
}

// One server served all the time that a proof may take: three quarters of a timeout, and what the
// answers need.
bool model_client::proof_was_to_be_had() const {
    const auto since = around_.ensemble.now() - around_.ensemble.timeout() * 13 / 16;
    return link_.undisturbed_since(since) && around_.ensemble.has_served_since(since);
}

void model_client::wrong(ticket_id id, const std::string& text) {
    around_.report(name_ + ": ticket " + std::to_string(id) + ' ' + text);
}

void model_client::on_phase(protocol::session_phase phase) { note("is " + name_of(phase)); }

// A limit says that no session could be made in time; nothing is done to one that is there.
void model_client::on_connect_result(failure why) {
    note("connect ends: " + name_of(why));
    connecting_ = false;
    connect_again_ = why == failure::connect_timed_out && around_.ensemble.below(2) == 0;
    if (why != failure::none && !(why == failure::connect_timed_out && around_.brief_connects))
        around_.report(name_ + " failed to connect without a reason: " + name_of(why));
}

void model_client::on_closed() {
    note("closed");
    closed_ = true;
}

void model_client::on_granted(ticket_id id, std::int64_t czxid) {
    note("granted " + std::to_string(id));
    auto& which = acquires_.at(id);
    if (which.now != state::acquiring)
        return wrong(id, "was granted though its acquire was over");
    which.now = state::held;
    which.czxid = czxid;
    const auto* const path = asked_.path_of(czxid);
    if (listing_ && path &&
        std::find(listing_->begin(), listing_->end(), path->substr(path->rfind('/') + 1)) ==
            listing_->end())
        wrong(id, "was granted by a listing in which it was missing");
    if (asked_.has_deleted(czxid))
        wrong(id, "was granted, and its own session had deleted it");
    if (was_gone(which))
        wrong(id, "was granted, and was gone before its session connected");
    if (!is_doomed() && !around_.deleted.contains(czxid))
        around_.beliefs.granted(which.what.path, id, which.what.kind, czxid);
    around_.on_held(*this, id);
}

void model_client::on_acquire_failed(ticket_id id, failure why, protocol::zookeeper_code code) {
    note("failed " + std::to_string(id) + ' ' + name_of(why));
    auto& which = acquires_.at(id);
    if (which.now != state::acquiring)
        wrong(id, "failed though its acquire was over");
    if (!is_expected(which, why, code))
        wrong(id, "failed without a reason: " + name_of(why));
    which.now = state::over;
}

void model_client::on_lost(ticket_id id, failure why) {
    note("lost " + std::to_string(id) + ' ' + name_of(why));
    auto& which = acquires_.at(id);
    if (which.now == state::releasing) {
        which.was_lost = true;
        return; // a loss that a pause hid comes first, then the end of the release
    }
    if (which.now != state::held)
        wrong(id, "was lost though it was not held");
    which.now = state::over;
    which.was_lost = true;
    if (why == failure::lost_deadline && !around_.pauses && around_.ensemble.now() > lease_.told)
        wrong(id, "was told of its loss too late");
    if (why == failure::lost_deadline && !at_risk_)
        wrong(id, "was lost by its deadline without a warning");
    if (why == failure::lost_deadline && !around_.pauses && proof_was_to_be_had())
        wrong(id, "was lost for nothing");
    if (why != failure::lost_deadline)
        return around_.beliefs.ended(which.what.path, id);
    // The margin is the holder's: it goes on believing until the deadline, unless it releases.
    which.lingers = true;
    around_.ensemble.events().at(lease_.deadline, [this, id] {
        if (auto& lost = acquires_.at(id); std::exchange(lost.lingers, false))
            around_.beliefs.ended(lost.what.path, id);
    });
}

void model_client::on_released(ticket_id id, failure why, protocol::zookeeper_code code) {
    note("released " + std::to_string(id) + ' ' + name_of(why));
    auto& which = acquires_.at(id);
    if (which.now != state::releasing)
        wrong(id, "was released though nobody asked");
    if (why == failure::lost_deadline && !which.was_lost)
        wrong(id, "had been lost without a word");
    if (why == failure::release_denied && !is_expected(which, why, code))
        wrong(id, "was not released, without a reason");
    // After an expiry it may stand for a while: a leader tells of one before it is carried out.
    // (What an enqueue makes that knew an older lock path may have its name for a moment.)
    const auto* const path = asked_.path_of(which.czxid);
    const auto stands = [&] {
        return around_.ensemble.truth()
            .read({.op = protocol::operation::exists, .path = *path})
            .stat.czxid;
    };
    if (why == failure::none && !session_ends_ && path && stands() == which.czxid)
        wrong(id, "was told that it is released, and stands");
    which.now = state::over;
}

void model_client::on_deadline(const protocol::lease_instants& in_force) {
    if (in_force.told > in_force.deadline)
        around_.report(name_ + ": losses are told after the deadline");
    if (in_force.risk >= in_force.told && in_force.deadline > instant{})
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

void model_client::on_note(protocol::note_level, std::string_view text) {
    note("notes: " + std::string(text));
}

} // namespace turnstile::test
