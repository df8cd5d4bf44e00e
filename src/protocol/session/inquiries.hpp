// SPDX-License-Identifier: BSL-1.0
// The questions of a session that belong to no ticket, such as: which tickets stand in a queue?
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

/// Runs each question (path_question) to its end, request by request (rule I0). The listener gets
/// the end, and the news before it. session_machine owns this object, and brings it questions,
/// events and connections. Each request has a state:
///
/// - `waiting`: it waits for a connection. A read whose answer was lost waits again (I1), and a
///   request that a server throttled waits for T/8. A write is not sent again after a lost answer:
///   its question gets the unknown outcome as an answer.
/// - `sent`: its answer is awaited.
/// - `watching`: it is a read that was answered, and its watch is set. It is sent again with each
///   event, after each reconnect, and when an event may have been lost (I2).
///
/// Any other request ends with its answer. A read that watches ends if its node is missing, except
/// for an `exists`: that is sent as a `get` while the node is there. A `get` also ends with its
/// event: its question gets the answer that the node is missing, since the node that was read is
/// gone. (Rules: docs/internals/protocol/connection.md and beside.md)
class inquiries {
public:
    /// Makes a lock path, as for an acquire. on_path() brings the end.
    using path_maker =
        std::function<void(inquiry_id id, const std::string& path, instant waits_since)>;

    inquiries(session_context& shared, path_maker make_path)
        : context_(shared), make_path_(std::move(make_path)), again_(shared.clock) {}

    /// Begins a question, by an id that is new. At `end` it fails.
    void begin(inquiry_id id, const std::shared_ptr<path_question>& what,
               std::optional<instant> end);
    /// Ends a question. If the caller cancels it, it first takes back what it has made (Y4).
    void cancel(inquiry_id id, failure why);
    /// The lock path was made for a question, or could not be. False: no question has this id.
    bool on_path(inquiry_id id, failure why, zookeeper_code code);

    void on_connected();
    void on_disconnected();
    void on_watch(inquiry_id id, watch_event event, const std::string& node);
    /// Sends the reads that watch again: an event may have been lost (I2).
    void read_again();
    void fail_all(failure why);

    /// Whether the question has sent a request that changes a node.
    bool has_written(inquiry_id id) const {
        const auto found = all_.find(id);
        return found != all_.end() && found->second.has_written;
    }
    bool empty() const { return open_.empty(); }
    /// Whether a server that lags behind could give an open question an older answer than before
    /// (E5).
    bool may_go_back() const { return has_told_ && !empty(); }
    /// The node of an open request.
    const std::string& some_path() const { return open_.begin()->second.what.path; }
    /// Calls `action` for each request without an answer, with the instant from which it waits.
    template <class Action>
    void for_each_waiting(Action action) const {
        for (const auto& [key, each] : open_)
            if (each.phase != state::watching)
                action(key.first, each.since);
    }

private:
    struct inquiry {
        inquiry(std::shared_ptr<path_question> asked, instant now, timers& clock)
            : what(std::move(asked)), began(now), deadline(clock) {}
        const std::shared_ptr<path_question> what;
        const instant began;
        timer deadline;
        bool has_written = false; // a request that changes a node was sent
    };
    enum class state { waiting, sent, watching };
    struct open_request {
        const request what;
        instant since; // it waits for an answer from this instant on
        state phase = state::waiting;
        std::uint64_t flight = 0; // the number of its last sending: only that answer counts
        bool is_there = false;    // the node of an `exists` that watches was there

        /// What is sent. An `exists` watches a missing node, too, but is a `get` while the node is
        /// there (I2).
        request form() const {
            auto form = what;
            if (is_there)
                form.op = operation::get;
            return form;
        }
    };
    /// The inquiry, and the number of the request in it.
    using request_key = std::pair<inquiry_id, std::size_t>;
    using request_table = std::map<request_key, open_request>;

    /// Sends the requests of the question that come next.
    void ask(inquiry_id id);
    /// After an answer: ends the question, or reports its news and asks on.
    void go_on(inquiry_id id);
    /// Forgets the question, and reports its end.
    void tell_end(inquiry_id id);
    /// Ends the question with this failure, and reports that.
    void fail(inquiry_id id, failure why);
    void send(const request_key& key, open_request& which);
    /// Sends a request again that was answered.
    void ask_again(const request_key& key, open_request& which);
    /// Forgets a request, and its watch.
    request_table::iterator forget(request_table::iterator which);
    void forget_requests(inquiry_id id);
    void send_waiting();
    void on_answer(const request_key& key, std::uint64_t flight, const reply& answer);
    /// Gives the answer to the question.
    void hand_answer_over(const request_key& key, const reply& answer);

    session_context& context_;
    const path_maker make_path_;
    std::map<inquiry_id, inquiry> all_;
    request_table open_;
    std::uint64_t flights_ = 0;
    bool has_told_ = false; // some question has got an answer
    timer again_;           // sends throttled requests again
};

} // namespace turnstile::protocol
