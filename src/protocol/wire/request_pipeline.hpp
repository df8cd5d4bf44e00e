// SPDX-License-Identifier: BSL-1.0
// Sends the requests of one session, and gives each answer to the handler of its request.
#pragma once

#include "protocol/lease/lease.hpp"
#include "protocol/time/instant.hpp"
#include "protocol/wire/message.hpp"
#include "protocol/wire/port.hpp"
#include "protocol/wire/size_limit.hpp"
#include "protocol/wire/watch_table.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace turnstile::protocol {

/// Sends requests through the port, and calls the handler of each with its answer. Each answer also
/// tells the lease what it proves, and the watch table which watch is set.
///
/// session_context has the one pipeline of a session. session_machine brings it connections and
/// answers, and every part of the session sends through it. Its states:
///
/// - `disconnected`: there is no connection, and nothing may be sent.
/// - `connected`: no write was answered on this connection yet.
/// - `wrote`: a write was answered, so the ensemble works, and not only the server of this
///   connection.
/// - `distrusted`: answers on this connection count no more. Each open request ends with it.
class request_pipeline {
public:
    request_pipeline(port& the_port, lease& the_lease, watch_table& watches)
        : port_(the_port), lease_(the_lease), watches_(watches) {}

    instant now() const { return now_; }
    void set_now(instant now) { now_ = now; }

    /// Whether there is a connection.
    bool connected() const { return state_ != state::disconnected; }
    /// Whether no request is open.
    bool idle() const { return pending_.empty(); }
    /// A connection has begun, or none is used any more.
    void set_connected(bool value) { state_ = value ? state::connected : state::disconnected; }
    /// Whether a write was answered on this connection.
    bool wrote() const { return state_ == state::wrote; }

    /// Sends a request, only while connected. The handler is called once: with the answer, or with
    /// connection_loss if the connection ends before.
    void send(const request& what, reply_handler done);
    /// A server has answered this request. False: the answer leaves the outcome open. The request
    /// then stays open, and fails with the connection.
    bool on_reply(request_id id, const reply& answer);
    /// Answers the requests that were not sent because they are too large.
    void answer_refused();
    /// Has the server take off the watches that no ticket or question wants, if there are more than
    /// `most_unwanted`.
    void unwatch(std::size_t most_unwanted);
    /// The connection has ended: each open request gets connection_loss, in order.
    void fail_all();

    /// The server has cut the connection, and the open requests are about to fail. True: requests
    /// as large as the largest of them are refused from now on.
    bool on_cut();
    const size_limit& sizes() const { return sizes_; }
    /// Whether three requests of one kind in a row got an answer that leaves the outcome open. Only
    /// the first call after that says so.
    bool gets_no_clear_answer();
    /// Whether a transaction has a lower number than one before it, in this session or an earlier
    /// one. Only the first call after that says so: it takes the flag back.
    bool take_numbers_went_back() { return std::exchange(has_gone_back_, false); }
    /// No answer on this connection counts any more. Each open request ends with the connection.
    void distrust() { state_ = state::distrusted; }
    /// Forgets the open requests, and calls no handler: the owner of the handlers is going.
    void abandon() {
        pending_.clear();
        refused_.clear();
    }

private:
    enum class state : std::uint8_t { disconnected, connected, wrote, distrusted };
    struct open_request {
        request_id id;
        instant sent;
        std::size_t bytes;
        operation op;
        bool write;
        std::string watched; // the node that the request watches; empty: it watches none
        reply_handler done;
    };

    void note_zxid(std::int64_t zxid);

    port& port_;
    lease& lease_;
    watch_table& watches_;
    state state_ = state::disconnected;
    instant now_{};
    instant unwatches_from_{};          // a server throttled unwatch(): until then it does nothing
    std::size_t unwanted_but_kept_ = 0; // unwanted watches that an open request may set again
    /// Connections in a row that ended when an unwatch was due to be answered.
    std::size_t unwatches_cut_in_a_row_ = 0;
    request_id last_id_ = 0;
    std::int64_t newest_ = 0;    // the number of the last transaction
    bool has_gone_back_ = false; // a number was below `newest_`, and it was not taken yet
    std::deque<open_request> pending_;
    std::vector<request_id> refused_; // those of `pending_` that are too large, and were not sent
    size_limit sizes_;
    /// For each operation: how many answers in a row left the outcome open.
    std::array<std::uint8_t, operations> unclear_{};
};

} // namespace turnstile::protocol
