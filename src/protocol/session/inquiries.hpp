// Requests that belong to no ticket: who stands in line, what a limit is, who leads.
#pragma once

#include "protocol/queue/machine_context.hpp"

#include <map>

namespace turnstile::protocol {

/// Each waits for a connection, and is answered through the listener. A read whose answer was lost
/// is asked again on the next connection; a write is sent once, and its unknown outcome is told as
/// it is. A read that watches stays until it is cancelled: with each event, and after each
/// reconnect, it is asked again and its answer told again. While no server can be reached, each
/// waits its own limit, as acquires do.
class inquiries {
public:
    explicit inquiries(machine_context& shared)
        : context_(shared), again_(shared.clock), unreachable_(shared.clock) {}

    void begin(inquiry_id id, const request& what);
    /// Of one that was answered or has failed: nothing.
    void cancel(inquiry_id id);

    void on_connected();
    void on_disconnected();
    void on_watch(inquiry_id id);
    void fail_all(failure why);

    /// What it remembers, to tell its states apart.
    const auto& snapshot() const { return open_; }

private:
    enum class state { waiting, sent, answered };
    struct inquiry {
        request what;
        state now = state::waiting;
        instant since{}; // it waits for a connection
    };

    void send(inquiry_id id, inquiry& which);
    void wait(inquiry& which);
    void send_waiting();
    void on_answer(inquiry_id id, const reply& answer);
    void fail(inquiry_id id, failure why);
    void watch_limit();
    void end_unreachable();

    machine_context& context_;
    std::map<inquiry_id, inquiry> open_;
    timer again_; // for what a server with too much to do sent back
    timer unreachable_;
};

} // namespace turnstile::protocol
