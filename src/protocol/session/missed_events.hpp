// SPDX-License-Identifier: BSL-1.0
// Watch events that never came: a server, a proxy or a look-alike of ZooKeeper may lose one.
#pragma once

#include "protocol/queue/ticket_table.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace turnstile::protocol {

/// A waiting ticket whose event is lost would wait for ever, and all behind it. So the beats of a
/// session check what its tickets wait for. Events come before later answers on one connection:
/// where a check does not find the predecessor of a ticket that still waits for it, the event was
/// lost.
class missed_events {
public:
    missed_events(session_context& shared, ticket_table& tickets)
        : context_(shared), tickets_(tickets) {}

    /// Adds to a beat tickets that wait for another's, each before its predecessor: in turn, and so
    /// many that all come around within T.
    void add_checks(std::vector<std::string>& nodes);
    /// A check has not found this node, which is none of the session's own.
    void on_missing(const std::string& node);

private:
    /// The node whose event it waits for; null: none.
    static const std::string* awaited_node(const ticket& who);

    session_context& context_;
    ticket_table& tickets_;
    ticket_id last_checked_ = 0;
};

} // namespace turnstile::protocol
