// How a session ends: by its owner, with the server's answer or without it, or because it gives up.
#include "protocol/session/session_machine.hpp"

#include "protocol/session/session_machine_input.hpp"

#include <utility>
#include <vector>

namespace turnstile::protocol {

void session_machine::give_up(failure why) {
    core_.events.on_connect_result(why);
    std::vector<ticket_id> waiting;
    for (const auto& [id, who] : core_.tickets)
        waiting.push_back(id);
    cancel_all(core_, std::move(waiting), why == failure::auth_failed ? why : failure::unreachable);
    lines_.for_each([](line& where) { where.stop_waiting_for_releases(); });
    if (core_.options.lost_when_expired) // the server's word will not come any more
        lease_watch_.lose_all();
}

void session_machine::close(instant now) {
    const input frame(*this, now);
    if (is_closing())
        return;
    closing_ = closing_step::draining;
    lines_.stop();
    lines_.for_each([](line& where) { where.abandon_all(); });
    if (phase() == session_phase::connected)
        close_limit_.set(core_.now() + core_.options.connect_timeout, [this] {
            core_.events.on_note(note_level::warning,
                                 "no answer to close: the session is left to expire");
            closing_ = closing_step::sent;
            core_.drop_connection();
        });
    connector_.stop(phase() == session_phase::connected ? session_phase::closing
                                                        : session_phase::closed);
}

void session_machine::stop(instant now) {
    const input frame(*this, now);
    lines_.stop();
    lines_.for_each([](line& where) {
        where.abandon_all();
        where.on_expired(failure::session_closed);
    });
    heartbeat_.on_disconnected();
    core_.wire.abandon();
    core_.wire.connected(false);
    closing_ = closing_step::over;
    close_limit_.cancel();
    reach_.stop();
    connector_.stop(session_phase::closed);
}

void session_machine::finish_close() {
    if (phase() == session_phase::closing && core_.wire.connected()) {
        // The C client could not pair the answer to the close with open requests.
        if (!core_.wire.idle() || closing_ == closing_step::sent)
            return;
        heartbeat_.on_disconnected();
        closing_ = closing_step::sent;
        return core_.outlet.close_session();
    }
    if (core_.wire.connected())
        return;
    closing_ = closing_step::over;
    close_limit_.cancel();
    reach_.stop();
    // Unless the server has ended the session, nobody knows what became of a release.
    lines_.for_each([](line& where) { where.on_expired(failure::unreachable); });
    connector_.stop(session_phase::closed);
    core_.events.on_closed();
}

} // namespace turnstile::protocol
