#include "protocol/session/heartbeat.hpp"

#include <algorithm>
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
    alarm_.cancel();
}

void heartbeat::beat(strength how) {
    if (open_ || !core_.wire.connected())
        return;
    open_ = true;
    sent_ = core_.now();
    due_.cancel();
    const auto node = next_();
    request what{.op = operation::exists, .path = "/"};
    if (node) {
        // A leader that its majority has left answers a sync: that is no barrier.
        const bool sync = (core_.options.light || core_.mutated(mutant::beats_with_sync)) &&
                          how != strength::barrier;
        what.op = sync ? operation::sync : operation::check;
        what.path = *node;
    }
    if (how == strength::barrier && core_.mutated(mutant::no_barrier))
        what = {.op = operation::exists, .path = "/"};
    core_.wire.send(what, {purpose::beat, how == strength::barrier},
                    [this, node, how](const reply& answer) { on_answer(node, answer, how); });
    set_alarm();
}

void heartbeat::on_answer(const std::optional<std::string>& node, const reply& answer,
                          strength how) {
    if (outcome_unknown(answer.code))
        return;
    if (node && how == strength::barrier && !answered(answer.code) &&
        !core_.mutated(mutant::throttled_barrier_counts)) {
        core_.wire.distrust(); // what comes behind it may be out of date
        return core_.drop_connection();
    }
    open_ = false;
    alarm_.cancel();
    const auto beat = core_.proof.timeout() / 8;
    if (const auto trip = core_.now() - sent_; trip <= beat) // else it hung: that is not its pace
        trip_ = trip;
    latest_ = core_.now() + beat + trip_;
    beat_at(core_.now() + beat);
    if (node && answer.code == zookeeper_code::no_node &&
        !core_.mutated(mutant::no_own_watch_nor_check))
        missing_(*node);
    check_lease();
}

void heartbeat::beat_at(instant when) {
    due_.set(when, [this] {
        hurried_ = 0;
        beat();
    });
}

void heartbeat::set_alarm() {
    const auto due = alarm_due();
    if (alarm_.due() == due)
        return;
    alarm_.set(due, [this] {
        core_.events.on_note(note_level::warning, "no answer to a beat in time: next server");
        core_.drop_connection();
    });
}

void heartbeat::check_lease() {
    if (core_.held.empty() || !core_.wire.connected() || core_.dropping)
        return;
    if (open_)
        return set_alarm(); // a holder is less patient than one in line
    if (too_slow() && !core_.mutated(mutant::slow_server_kept)) {
        core_.events.on_note(note_level::warning,
                             "answers are too slow for the lease: next server");
        return core_.drop_connection();
    }
    if (std::exchange(proved_, core_.proof.deadline()) != core_.proof.deadline())
        hurried_ = 0;
    const auto now = core_.now();
    // Writes before that would prove nothing.
    if (const auto proof = core_.proof.next_proof(now); proof > now) {
        if (proof < latest_)
            beat_at(proof);
    } else if (core_.proof.left(now) < core_.proof.timeout() * 3 / 8 + 2 * trip_ &&
               hurried_ < most_hurried && !core_.mutated(mutant::beats_not_hurried)) {
        ++hurried_;
        beat();
    }
}

instant heartbeat::alarm_due() const {
    const auto whole = core_.proof.timeout();
    if (core_.held.empty() || core_.mutated(mutant::holder_waits_for_beats))
        return sent_ + whole / 3;
    const auto told = loss_told();
    // Time to be back at another server, unless this one has shown that it needs longer.
    const auto latest = told && trip_ != duration::zero()
                            ? std::max(*told - whole / 16, sent_ + trip_ + whole / 32)
                            : instant::max();
    return std::min(sent_ + whole / 8, latest);
}

std::optional<instant> heartbeat::loss_told() const {
    const auto deadline = core_.proof.deadline();
    return deadline && !core_.options.lost_when_expired ? std::optional{*deadline - core_.margin()}
                                                        : std::nullopt;
}

// The next proof would come too late, or hardly in time. At a quick server a handshake and one
// write prove a whole T.
bool heartbeat::too_slow() const {
    const auto told = loss_told();
    return told && core_.proof.proved_at(core_.now(), trip_) + trip_ / 4 > *told;
}

} // namespace turnstile::protocol
