// SPDX-License-Identifier: BSL-1.0
#include "protocol/session/heartbeat.hpp"

#include "protocol/lease/lease_plan.hpp"

#include <utility>

namespace turnstile::protocol {

namespace {

// Two writes prove a lease; more of them without a pause would prove nothing newer.
constexpr unsigned most_hurried = 2;

} // namespace

void heartbeat::on_connected() {
    open_ = false;
    hurried_ = 0;
    trip_ = {};
    beat(strength::barrier);
}

void heartbeat::on_disconnected() {
    open_ = false;
    due_.cancel();
    read_due_.cancel();
    alarm_.cancel();
}

void heartbeat::beat(strength how) {
    if (open_ || !context_.requests.connected())
        return;
    open_ = true;
    sent_ = context_.now();
    due_.cancel();
    read_due_.cancel();
    const auto about = next_(how);
    const auto& nodes = about.nodes;
    request what{.op = operation::exists, .path = about.place.empty() ? "/" : about.place};
    if (!nodes.empty()) {
        what.op = operation::check;
        what.path = nodes.front();
        if (nodes.size() > 1) { // all the permits of one acquire
            what.op = operation::transact;
            for (const auto& node : nodes)
                what.steps.push_back({.what = step_kind::check, .path = node});
        }
    }
    context_.requests.send(
        what, [this, about, how](const reply& answer) { on_answer(about, answer, how); });
    set_alarm();
}

void heartbeat::on_answer(const subject& what, const reply& answer, strength how) {
    if (outcome_unknown(answer.code))
        return;
    const auto& nodes = what.nodes;
    if (!nodes.empty() && how == strength::barrier && !answered(answer.code)) {
        context_.requests.distrust(); // what comes behind it may be out of date
        return context_.drop_connection();
    }
    open_ = false;
    alarm_.cancel();
    const auto beat = lease_plan::beat(context_.lease.timeout());
    if (const auto trip = context_.now() - sent_;
        trip <= beat) // else the server hung: that says nothing of its usual speed
        trip_ = trip;
    latest_ = context_.now() + beat + trip_;
    beat_at(context_.now() + beat);
    read_before_beat();
    if (!nodes.empty() && answer.code == zookeeper_code::no_node)
        kinds_.on_missing(answer.results.empty() ? nodes.front() : nodes[failed_step(answer)]);
    if (!what.place.empty())
        kinds_.queues().on_path_counted(what.place, answer);
    check_lease();
}

void heartbeat::beat_at(instant when) {
    due_.set(when, [this] {
        hurried_ = 0;
        beat();
    });
}

// The beat follows the read's answer by the lead, even if that answer took longer than the last
// ones did, or less.
void heartbeat::read_before_beat() {
    const auto lead = lease_plan::read_lead(context_.lease.timeout(), context_.lease.gap());
    const auto when = context_.now() + lease_plan::beat(context_.lease.timeout()) - lead - trip_;
    if (lead == duration::zero() || when <= context_.now())
        return; // the beat that was answered now is as good
    read_due_.set(when, [this, lead] {
        if (context_.held.empty())
            return;
        context_.requests.send({.op = operation::exists, .path = "/"}, [this, lead](const reply&) {
            if (due_.pending() && context_.now() + lead < latest_)
                beat_at(context_.now() + lead);
        });
    });
}

void heartbeat::set_alarm() {
    const auto whole = context_.lease.timeout();
    const auto due = context_.held.empty()
                         ? sent_ + lease_plan::patience(whole)
                         : lease_plan::holders_alarm(whole, sent_, trip_, loss_at());
    if (alarm_.due() == due)
        return;
    alarm_.set(due, [this] {
        context_.events.on_note(log_level::warning, "no answer to a beat in time: next server");
        context_.drop_connection();
    });
}

void heartbeat::check_lease() {
    if (context_.held.empty() || !context_.requests.connected() || context_.dropping)
        return;
    if (open_)
        return set_alarm(); // a holder is less patient than one in line
    const auto now = context_.now();
    const auto proof = context_.lease.next_proof(now);
    if (too_slow(proof)) {
        context_.events.on_note(log_level::warning,
                                "answers are too slow for the lease: next server");
        return context_.drop_connection();
    }
    if (std::exchange(proved_, context_.lease.deadline()) != context_.lease.deadline())
        hurried_ = 0;
    const auto hurry = lease_plan::hurry(context_.lease.timeout(), trip_);
    if (proof > now) { // writes before that would prove nothing
        // A beat due before is put off. One due later is brought forward if little would be left.
        const bool late = due_.due() && *due_.due() <= proof;
        if (proof < latest_ && (late || context_.lease.left(latest_) < hurry))
            beat_at(proof);
    } else if (context_.lease.left(now) < hurry && hurried_ < most_hurried) {
        ++hurried_;
        beat();
    }
}

std::optional<instant> heartbeat::loss_at() const {
    const auto deadline = context_.lease.deadline();
    return deadline ? std::optional{*deadline - context_.margin()} : std::nullopt;
}

// The next proof would come too late, or hardly in time. At a quick server a handshake and one
// write prove a whole T.
bool heartbeat::too_slow(instant proof) const {
    const auto loss = loss_at();
    return loss && context_.lease.proved_at(proof, trip_) + lease_plan::slack(trip_) > *loss;
}

} // namespace turnstile::protocol
