// How a session ends: by its owner, with the server's answer or without it, or because it gives up.
#include "protocol/session/session_machine.hpp"

#include "protocol/session/session_machine_input.hpp"

#include <utility>
#include <vector>

namespace turnstile::protocol {

void session_machine::give_up(failure why) {
    context_.events.on_connect_result(why);
    fail_waiting(why == failure::auth_failed ? why : failure::unreachable);
    if (context_.options.lost_when_expired) // the server's word will not come any more
        lease_watch_.lose_all();
}

// The servers answer, but never so that anything comes of it.
void session_machine::end_waits() {
    if (!context_.held.empty()) // the lease is still to be proved
        return fail_waiting(failure::unreachable);
    connector_.stop(session_phase::idle);
    give_up(failure::unreachable);
}

void session_machine::fail_waiting(failure told) {
    std::vector<watcher_id> waiting;
    waiting_.for_each([&](watcher_id id, instant) { waiting.push_back(id); });
    waiting_.cancel(std::move(waiting), told);
    queues_.for_each([](lock_queue& where) { where.stop_waiting_for_releases(); });
    single_nodes_.for_each([](single_node& where) { where.stop_waiting_for_release(); });
    semaphores_.for_each([](semaphore& where) { where.stop_waiting_for_releases(); });
    inquiries_.fail_all(told);
    lookups_.fail_all(told);
}

void session_machine::abandon_all() {
    queues_.for_each([](lock_queue& where) { where.abandon_all(); });
    single_nodes_.for_each([](single_node& where) { where.abandon_all(); });
    semaphores_.for_each([](semaphore& where) { where.abandon_all(); });
}

// A timer of theirs would keep the program alive after the session.
void session_machine::stop_reviews() {
    queues_.stop();
    single_nodes_.stop();
    semaphores_.stop();
}

void session_machine::close(instant now) {
    take_input(now, [&] {
        if (is_closing())
            return;
        closing_ = closing_step::draining;
        stop_reviews();
        if (rules_.close_ends_locks())
            abandon_all();
        inquiries_.fail_all(failure::session_closed);
        lookups_.fail_all(failure::session_closed);
        if (phase() == session_phase::connected)
            close_limit_.set(context_.now() + context_.options.connect_timeout, [this] {
                context_.events.on_note(note_level::warning,
                                        "no answer to close: the session is left to expire");
                closing_ = closing_step::sent;
                context_.drop_connection();
            });
        connector_.stop(phase() == session_phase::connected ? session_phase::closing
                                                            : session_phase::closed);
    });
}

void session_machine::stop(instant now) {
    take_input(now, [&] {
        stop_reviews();
        abandon_all();
        end_locks(failure::session_closed);
        inquiries_.fail_all(failure::session_closed);
        lookups_.fail_all(failure::session_closed);
        heartbeat_.on_disconnected();
        context_.requests.abandon();
        context_.requests.connected(false);
        closing_ = closing_step::over;
        close_limit_.cancel();
        unreachable_.stop();
        connector_.stop(session_phase::closed);
    });
}

void session_machine::finish_close() {
    if (phase() == session_phase::closing && context_.requests.connected()) {
        // The C client could not pair the answer to the close with open requests.
        if (!context_.requests.idle() || closing_ == closing_step::sent)
            return;
        heartbeat_.on_disconnected();
        closing_ = closing_step::sent;
        return context_.port.close_session();
    }
    if (context_.requests.connected())
        return;
    closing_ = closing_step::over;
    close_limit_.cancel();
    unreachable_.stop();
    // Unless the server has ended the session, nobody knows what became of a release.
    end_locks(failure::unreachable);
    connector_.stop(session_phase::closed);
    context_.events.on_closed();
}

} // namespace turnstile::protocol
