#include "protocol/heartbeat.hpp"

namespace turnstile::protocol {

namespace {

// Two writes prove a lease; more of them without a pause would prove nothing newer.
constexpr unsigned most_hurried = 2;

} // namespace

void heartbeat::on_connected() {
    open_ = false;
    hurried_ = 0;
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
    core_.wire.send(what, purpose::beat,
                    [this, node](const reply& answer) { on_answer(node, answer); });
    set_alarm();
}

void heartbeat::on_answer(const std::optional<std::string>& node, const reply& answer) {
    if (outcome_unknown(answer.code))
        return;
    open_ = false;
    alarm_.cancel();
    beat_at(core_.now() + core_.proof.timeout() / 8);
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
    const auto patience =
        core_.held.empty() ? core_.proof.timeout() / 3 : core_.proof.timeout() / 8;
    if (alarm_.due() == sent_ + patience)
        return;
    alarm_.set(sent_ + patience, [this] {
        core_.events.on_note(note_level::warning, "no answer to a beat in time: next server");
        core_.drop_connection();
    });
}

void heartbeat::check_lease() {
    if (core_.held.empty() || !core_.wire.connected() || core_.dropping)
        return;
    if (open_)
        return set_alarm(); // a holder is less patient than one in line
    const auto now = core_.now();
    // Writes before that would prove nothing.
    if (const auto proof = core_.proof.next_proof(now); proof > now) {
        if (due_.due() && proof < *due_.due())
            beat_at(proof);
    } else if (core_.proof.left(now) < core_.proof.timeout() * 3 / 8 && hurried_ < most_hurried) {
        ++hurried_;
        beat();
    }
}

} // namespace turnstile::protocol
