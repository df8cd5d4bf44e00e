// SPDX-License-Identifier: BSL-1.0
// Pairs requests with replies on the connection of the moment. It feeds the lease, and knows which
// watches the server has.
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

class request_pipeline {
public:
    request_pipeline(port& the_port, lease& the_lease, watch_table& watches, bool sync_counts)
        : port_(the_port), lease_(the_lease), watches_(watches), sync_counts_(sync_counts) {}

    instant now() const { return now_; }
    void set_now(instant now) { now_ = now; }

    bool connected() const { return state_ != state::disconnected; }
    bool idle() const { return pending_.empty(); }
    void connected(bool value) { state_ = value ? state::connected : state::disconnected; }
    /// A write was answered on this connection: the ensemble works, not only its front.
    bool wrote() const { return state_ == state::wrote; }

    /// Sends; the handler is called exactly once, with connection_loss where no reply came. Only
    /// while connected.
    void send(const request& what, reply_handler done);
    /// False where the answer leaves open what became of the request, which then has none but the
    /// end of the connection.
    bool on_reply(request_id id, const reply& answer);
    void answer_refused(); // those that were not sent because they are too large
    /// Has the server take off the watches that nobody wants, once there are more than these.
    void unwatch(std::size_t most_unwanted);
    /// The connection is gone: what is open gets connection_loss, in order.
    void fail_all();

    /// The server has ended the connection, and what is open is about to fail. True where requests
    /// as large as the largest of them are refused from now on.
    bool on_cut();
    const size_limit& sizes() const { return sizes_; }
    /// Requests of one kind were answered so three times in a row. Said once.
    bool gets_no_clear_answer();
    /// A transaction was numbered below one before it, in this session or an earlier one. Said
    /// once.
    bool has_gone_back() { return std::exchange(has_gone_back_, false); }
    /// What is open, or is still sent, has no answer but the end of the connection.
    void distrust() { state_ = state::distrusted; }
    /// Forgets what is open without a word: the owner of the handlers is going.
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
        std::string watched; // the node, where the request watches
        reply_handler done;
    };

    port& port_;
    lease& lease_;
    watch_table& watches_;
    bool sync_counts_;
    state state_ = state::disconnected;
    instant now_{};
    instant unwatches_from_{};      // a server with too much to do sent that back
    std::size_t kept_unwanted_ = 0; // watches that open requests may set again
    std::size_t cut_unwatches_ = 0; // connections in a row whose end answered such a request
    request_id last_id_ = 0;
    std::int64_t newest_ = 0; // transaction
    bool has_gone_back_ = false;
    std::deque<open_request> pending_;
    std::vector<request_id> refused_; // of them: not sent
    size_limit sizes_;
    std::array<std::uint8_t, operations> unclear_{}; // answers in a row, by the operation
};

} // namespace turnstile::protocol
