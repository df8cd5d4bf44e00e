// SPDX-License-Identifier: BSL-1.0
// Requests that belong to no ticket: who stands in line, what a limit is, who leads.
#pragma once

#include "protocol/session_context.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace turnstile::protocol {

/// Each waits for a connection, and is answered through the listener. A read whose answer was lost
/// is asked again on the next connection; a write is sent once, and its unknown outcome is reported
/// as it is. A read that watches stays until it is cancelled: with each event, and after each
/// reconnect, it is asked again and its answer reported again. It ends where its node is missing,
/// but for an `exists`. The answer to that is that of a `get` as long as the node is there. A `get`
/// ends with its event, too, which is reported as a missing node: it is not what was read.
class inquiries {
public:
    explicit inquiries(session_context& shared) : context_(shared), again_(shared.clock) {}

    /// In the place of one of the same id that watches.
    void begin(inquiry_id id, const request& what, instant since, std::optional<instant> end);
    void cancel(inquiry_id id, failure why);

    void on_connected();
    void on_disconnected();
    void on_watch(inquiry_id id, watch_event event);
    /// What is watched: an event may have been lost.
    void read_again();
    void fail_all(failure why);

    bool empty() const { return open_.empty(); }
    /// A server that lags behind could show something older than what was told.
    bool may_go_back() const { return has_told_ && !empty(); }
    const std::string& some_path() const { return open_.begin()->second.what.path; }
    /// Those that are not answered.
    template <class Action>
    void for_each_waiting(Action action) const {
        for (const auto& [id, each] : open_)
            if (each.now != state::answered)
                action(id, each.since);
    }

private:
    enum class state { waiting, sent, answered };
    struct inquiry {
        inquiry(request the_what, instant began, timers& clock)
            : what(std::move(the_what)), since(began), deadline(clock) {}
        const request what;
        state now = state::waiting;
        std::uint64_t flight = 0; // the request whose answer counts
        bool is_there = false;    // the node, of an `exists` that watches
        instant since;            // it has no answer
        timer deadline;
    };

    void send(inquiry_id id, inquiry& which);
    void ask_again(inquiry_id id, inquiry& which); // of one that had an answer
    void forget(inquiry_id id);
    void send_waiting();
    void on_answer(inquiry_id id, std::uint64_t flight, const reply& answer);
    void fail(inquiry_id id, failure why);

    session_context& context_;
    std::map<inquiry_id, inquiry> open_;
    std::uint64_t flights_ = 0;
    bool has_told_ = false;
    timer again_; // for what a server with too much to do sent back
};

} // namespace turnstile::protocol
