// SPDX-License-Identifier: BSL-1.0
// What a session machine tells upward. None of these may call back into the machine.
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

/// What is in force for everything that a session holds.
struct lease_instants {
    instant deadline{};
    instant loss_at{}; // losses are reported from here on
    instant risk{};    // of a loss, from here on
};

class listener {
public:
    virtual ~listener() = default;

    virtual void on_phase(session_state phase) = 0;
    /// connect() is over; `none` is success.
    virtual void on_connect_result(failure why) = 0;
    virtual void on_closed() = 0;

    /// The acquire got a place. So many nodes stood under the lock path before its own, at least
    /// one: where there are none, it is granted.
    virtual void on_queued(ticket_id, std::int32_t /*ahead*/) {}
    /// It waits still, and so many nodes at least stand before its own now.
    virtual void on_moved_up(ticket_id, std::int32_t /*ahead*/) {}
    virtual void on_granted(ticket_id ticket, std::int64_t czxid) = 0;
    /// Why an acquire, or a look-up, is about to fail, with the values that decide it.
    virtual void on_refusal(watcher_id, std::string_view /*cause*/) {}
    virtual void on_acquire_failed(ticket_id ticket, failure why, zookeeper_code code) = 0;
    /// A held lock was lost. After a loss by deadline its ticket keeps its place until the
    /// deadline; a release lets go of it earlier. So it does for a margin after a loss by its
    /// limit.
    virtual void on_lost(ticket_id ticket, failure why) = 0;
    /// What is held is lost soon, by its limit.
    virtual void on_limit_near(ticket_id) {}
    virtual void on_released(ticket_id ticket, failure why, zookeeper_code code) = 0;
    /// The end of a downgrade: with `none` it holds the lock to read, else as before.
    virtual void on_downgraded(ticket_id ticket, failure why, zookeeper_code code) = 0;
    /// The end of an upgrade: with `none` it holds the lock to write, by the node of this czxid,
    /// else to read as before.
    virtual void on_upgraded(ticket_id ticket, failure why, zookeeper_code code,
                             std::int64_t czxid) = 0;
    /// A question is over, or has news.
    virtual void on_answer(inquiry_id inquiry, const path_question& what) = 0;
    /// The end of a guarded write, as it was sent last. With `none` the answer's code may be one of
    /// those after which it is unknown whether it happened.
    virtual void on_written(inquiry_id write, const guarded_write& what, failure why,
                            const reply& answer) = 0;

    /// The end of a look-up. With `none` the key is that of the lock path.
    virtual void on_looked_up(inquiry_id lookup, failure why, zookeeper_code code,
                              const lock_key& key) = 0;

    virtual void on_deadline(const lease_instants& in_force) = 0;
    /// What is held may be lost soon, or is out of danger again. Precedes each loss by deadline.
    virtual void on_risk(bool at_risk) = 0;

    /// The event of this node, which was watched, never came. What waited for it goes on.
    virtual void on_missed_event(const std::string& /*node*/) {}

    virtual void on_note(log_level level, std::string_view text) = 0;
};

} // namespace turnstile::protocol
