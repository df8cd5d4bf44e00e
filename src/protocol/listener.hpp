// SPDX-License-Identifier: BSL-1.0
// The calls by which a session machine reports the results to its owner.
#pragma once

#include "protocol/names/lock_key.hpp"
#include "protocol/names/ticket_id.hpp"
#include "protocol/time/instant.hpp"
#include "protocol/wire/failure.hpp"
#include "protocol/wire/message.hpp"
#include "protocol/wire/zookeeper_code.hpp"

#include <turnstile/logger.hpp>
#include <turnstile/session_state.hpp>

#include <cstdint>
#include <string_view>

namespace turnstile::protocol {

struct guarded_write;
class path_question;

/// The instants that are in force for all locks of a session.
struct lease_instants {
    instant deadline{};
    instant loss_at{}; // losses are reported from this instant on
    instant risk{};    // the risk of a loss is reported from this instant on
};

/// What becomes of acquires and of the locks that they were granted. None of these functions may
/// call back into the machine.
class lock_listener {
public:
    virtual ~lock_listener() = default;

    /// The acquire stands in the queue, with this many nodes before its own. At least one: without
    /// any, the acquire is granted.
    virtual void on_queued(ticket_id, std::int32_t /*ahead*/) {}
    /// The acquire still waits, and at least this many nodes stand before its own now.
    virtual void on_moved_up(ticket_id, std::int32_t /*ahead*/) {}
    virtual void on_granted(ticket_id ticket, std::int64_t czxid) = 0;
    /// Why an acquire, or a look-up, is about to fail, with the values that decide it.
    virtual void on_refusal(watcher_id, std::string_view /*cause*/) {}
    virtual void on_acquire_failed(ticket_id ticket, failure why, zookeeper_code code) = 0;
    /// A held lock was lost. Its ticket keeps its place for a while: after a loss by deadline until
    /// the deadline, and after a loss by limit for a margin. A release gives it up earlier.
    virtual void on_lost(ticket_id ticket, failure why) = 0;
    /// The lock is lost soon, by its limit.
    virtual void on_limit_near(ticket_id) {}
    virtual void on_released(ticket_id ticket, failure why, zookeeper_code code) = 0;
    /// The end of a downgrade. With `none` the handle is a reader, else still a writer.
    virtual void on_downgraded(ticket_id ticket, failure why, zookeeper_code code) = 0;
    /// The end of an upgrade. With `none` the handle is a writer, by the node of this czxid, else
    /// still a reader.
    virtual void on_upgraded(ticket_id ticket, failure why, zookeeper_code code,
                             std::int64_t czxid) = 0;
    /// The end of a look-up. With `none` the key is that of the lock path.
    virtual void on_looked_up(inquiry_id lookup, failure why, zookeeper_code code,
                              const lock_key& key) = 0;
};

/// What becomes of the session, and of all else that it was asked for. The owner of the
/// session_machine implements it. None of these functions may call back into the machine.
class listener {
public:
    virtual ~listener() = default;

    virtual void on_phase(session_state phase) = 0;
    /// connect() is over; `none` is success.
    virtual void on_connect_result(failure why) = 0;
    virtual void on_closed() = 0;

    /// A question is over, or has news.
    virtual void on_answer(inquiry_id inquiry, const path_question& what) = 0;
    /// The end of a guarded write, as it was sent last. With `none` the answer's code may be one
    /// after which it is unknown whether the write happened.
    virtual void on_written(inquiry_id write, const guarded_write& what, failure why,
                            const reply& answer) = 0;

    virtual void on_deadline(const lease_instants& in_force) = 0;
    /// The held locks may be lost soon, or are out of danger again. This comes before each loss by
    /// deadline.
    virtual void on_risk(bool at_risk) = 0;

    /// The event of this watched node never came. The ticket that waited for it goes on.
    virtual void on_missed_event(const std::string& /*node*/) {}

    virtual void on_note(log_level level, std::string_view text) = 0;
};

} // namespace turnstile::protocol
