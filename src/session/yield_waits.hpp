// SPDX-License-Identifier: BSL-1.0
// Who waits to be asked for a lock that a session holds.
#pragma once

#include "protocol/names/ticket_id.hpp"
#include "protocol/wire/failure.hpp"
#include "protocol/wire/message.hpp"
#include "session/pending_table.hpp"
#include "session/ticket_lock.hpp"

#include <turnstile/error.hpp>
#include <turnstile/yield_request.hpp>

#include <map>
#include <optional>

namespace turnstile::detail {

class session_impl;

/// The first wait on a lock begins to watch the node by which others ask. The watch goes with the
/// lock. All members are called on the session's strand.
class yield_waits {
public:
    using operation = pending_operation<error_code, yield_request>;

    explicit yield_waits(session_impl& of) : of_(of) {}

    void await(const ticket_lock& lock, operation_id id, operation&& waiting);
    /// Asks anew, if it is one of these: which node is watched depends on the ticket.
    void ask(protocol::inquiry_id inquiry);
    /// It is held by another ticket now.
    void on_upgraded(protocol::ticket_id lock);
    bool cancel(operation_id id, error_code result) { return waiting_.complete(id, result, {}); }
    /// The lock was released, or is lost.
    void end(protocol::ticket_id lock, error_code why);
    void fail_all(const error_code& why) {
        watches_.clear();
        waiting_.fail_all(why);
    }
    auto take() { return waiting_.take(); }

    /// Whether it was a question of these.
    bool on_answer(protocol::inquiry_id inquiry, const protocol::reply& answer);
    bool on_failed(protocol::inquiry_id inquiry, protocol::failure why);

private:
    struct watch {
        protocol::ticket_id lock;
        std::optional<yield_request> asked{};
    };
    using watch_table = std::map<protocol::inquiry_id, watch>;

    watch_table::iterator of_lock(protocol::ticket_id lock);
    void tell(const watch& which);

    session_impl& of_;
    watch_table watches_;
    pending_table<operation, yield_request> waiting_; // by lock
};

} // namespace turnstile::detail
