// SPDX-License-Identifier: BSL-1.0
// Questions that belong to no ticket: who stands in line, what a limit is, who leads.
#pragma once

#include "protocol/session_context.hpp"
#include "protocol/wire/path_question.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace turnstile::protocol {

/// Each question is asked request by request until it is over. The listener is told of its end, and
/// of its news. Each request waits for a connection. A read whose answer was lost is asked again on
/// the next connection; a write is sent once, and its question gets its unknown outcome as it is. A
/// read that watches stays until the question asks another one: with each event, and after each
/// reconnect, it is asked again and answered again. It ends where its node is missing, but for an
/// `exists`. The answer to that is that of a `get` as long as the node is there. A `get` ends with
/// its event, too, which is told as a missing node: it is not what was read.
class inquiries {
public:
    /// Has a lock path made, as for an acquire; on_path() tells the end.
    using path_maker =
        std::function<void(inquiry_id id, const std::string& path, instant waits_since)>;

    inquiries(session_context& shared, path_maker make_path)
        : context_(shared), make_path_(std::move(make_path)), again_(shared.clock) {}

    /// In the place of one of the same id. `end`: until when its answers are waited for.
    void begin(inquiry_id id, const std::shared_ptr<path_question>& what,
               std::optional<instant> end);
    /// One that is cancelled ends when it has put back what it has to.
    void cancel(inquiry_id id, failure why);
    /// False where it is none of these that had the path made.
    bool on_path(inquiry_id id, failure why, zookeeper_code code);

    void on_connected();
    void on_disconnected();
    void on_watch(inquiry_id id, watch_event event, const std::string& node);
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
        for (const auto& [key, each] : open_)
            if (each.now != state::answered)
                action(key.first, each.since);
    }

private:
    struct inquiry {
        inquiry(std::shared_ptr<path_question> asked, instant now, timers& clock)
            : what(std::move(asked)), began(now), deadline(clock) {}
        const std::shared_ptr<path_question> what;
        const instant began;
        timer deadline;
    };
    enum class state { waiting, sent, answered };
    struct open_request {
        const request what;
        instant since; // it has no answer
        state now = state::waiting;
        std::uint64_t flight = 0; // the request whose answer counts
        bool is_there = false;    // the node, of an `exists` that watches
    };
    /// Of the inquiry, and its number there.
    using request_key = std::pair<inquiry_id, std::size_t>;
    using request_table = std::map<request_key, open_request>;

    void ask(inquiry_id id); // what comes next
    void go_on(inquiry_id id);
    void end(inquiry_id id);
    void end(inquiry_id id, failure why);
    void send(const request_key& key, open_request& which);
    void ask_again(const request_key& key, open_request& which); // of one that had an answer
    request_table::iterator forget(request_table::iterator which);
    void forget_requests(inquiry_id id);
    void send_waiting();
    void on_answer(const request_key& key, std::uint64_t flight, const reply& answer);
    void take(const request_key& key, const reply& answer);

    session_context& context_;
    const path_maker make_path_;
    std::map<inquiry_id, inquiry> all_;
    request_table open_;
    std::uint64_t flights_ = 0;
    bool has_told_ = false;
    timer again_; // for what a server with too much to do sent back
};

} // namespace turnstile::protocol
