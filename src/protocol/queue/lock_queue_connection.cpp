// SPDX-License-Identifier: BSL-1.0
// What becomes of a queue's tickets when the connection, or the session, comes and goes.
#include "protocol/queue/line_taker.hpp"
#include "protocol/queue/lock_queue.hpp"

namespace turnstile::protocol {

void lock_queue::on_connected() {
    expect_late_downgrades();
    leaving_.on_connected();
    recovery_.on_connected();
    place_unplaced();
    // A session with many tickets must not ask for all at once.
    const auto spread =
        static_cast<std::uint64_t>(lease_plan::spread(context_.lease.timeout()).count()) + 1;
    for (const auto& who : tickets_)
        if (who->has_node()) {
            who->unseen = true;
            watch_own_later(*who, duration{static_cast<duration::rep>(context_.random() % spread)});
        }
    for (const auto& who : tickets_)
        if (who->is_downgrading())
            ask_for_downgraded(*who);
}

void lock_queue::on_disconnected() {
    directory_.on_disconnected();
    leaving_.on_disconnected();
    recovery_.on_disconnected();
    for (const auto& who : tickets_) {
        if (who->before)
            who->before->armed = false;
        who->watches_itself = own_watch_state::none;
        who->own_watch.cancel();
    }
}

void lock_queue::collect_rewatches(rewatch_queue::entries& rewatches) const {
    using enum ticket_phase;
    for (const auto& who : tickets_)
        if (who->phase == finding_predecessor || who->phase == waiting || who->phase == confirming)
            rewatches.emplace_back(who->id, who->epoch);
}

void lock_queue::abandon_all() {
    waiting_for_budget_.clear();
    note_budget_wait();
    standing_.clear();
    std::vector<ticket*> all;
    for (const auto& who : tickets_)
        all.push_back(who.get());
    for (const auto who : all) {
        const bool was_held = who->phase == ticket_phase::held;
        const bool was_awaited = !who->abandoned && who->phase != ticket_phase::lost;
        context_.held.erase(who->id);
        const auto callers = context_.callers.take(*who);
        const auto id = who->id;
        const auto taker = who->abandoned ? nullptr : who->taker;
        end_changes(*who, failure::session_closed);
        erase(*who);
        if (taker)
            taker->on_line_failed(id, failure::session_closed, zookeeper_code::ok);
        else if (was_held)
            tell_lost(callers, failure::session_closed);
        else if (was_awaited)
            tell_failed(callers, failure::session_closed, zookeeper_code::ok);
    }
}

void lock_queue::on_expired(failure releases) {
    // They go with the session: what is told next must not find them standing.
    if (context_.rules.undeletable_end_with_session())
        give_bytes(undeletable_.clear());
    leaving_.on_expired(releases);
    recovery_.on_expired();
    standing_.clear();
    std::vector<ticket*> all;
    for (const auto& who : tickets_)
        all.push_back(who.get());
    for (const auto who : all) {
        if (who->phase == ticket_phase::held) {
            context_.held.erase(who->id);
            const auto callers = context_.callers.take(*who);
            end_changes(*who, failure::lost_expired);
            erase(*who);
            if (context_.rules.tells_loss_of_session())
                tell_lost(callers, failure::lost_expired);
        } else if (context_.rules.ends_with_session(*who)) {
            erase(*who);
        } else if (who->phase != ticket_phase::waiting_for_budget) {
            restart(*who);
        }
    }
}

} // namespace turnstile::protocol
