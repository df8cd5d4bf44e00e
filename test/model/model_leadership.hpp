// SPDX-License-Identifier: BSL-1.0
// What a server of the modelled ensemble does while it leads.
#pragma once

#include "model_txn.hpp"

#include "protocol/time/instant.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace turnstile::test {

class model_replica;

/// Orders transactions, counts acknowledgements, and decides when sessions expire. A replica owns
/// it from its election on. Once a tick it counts the followers that it has heard lately. Without a
/// majority it makes its replica leave, which destroys it. Until then it answers what needs no
/// majority, even if another server leads by now.
class model_leadership {
public:
    explicit model_leadership(model_replica& self);

    /// Begins to ping, to count followers and to expire sessions, each by timers of its own.
    void begin();
    /// Logs a transaction, and sends it to the followers.
    void propose(model_txn txn);
    /// Proposes what a client of some server wants. The transaction is a refusal if the session has
    /// ended, or has moved to another server.
    void request(model_txn txn);
    /// Moves a session to this server, where its client has connected. False: it has ended.
    bool validate(model_session session, std::size_t owner);
    /// The session lives: its timeout begins anew.
    void touch(model_session session);
    void touch_all(const std::set<model_session>& sessions);
    /// Notes a sign of life of a server. False: it is no follower of this leader.
    bool hear(std::size_t follower);
    /// Takes a server in as a follower, which has got the leader's log.
    void enrol(std::size_t follower);
    void on_ack(std::size_t follower, std::int64_t zxid);
    void on_pong(std::size_t follower, const std::set<model_session>& sessions);

private:
    struct tracked_session {
        protocol::instant due{};            // it expires then, unless it is touched
        std::optional<std::size_t> owner{}; // the server of its client; nothing: not known yet
        bool closing = false;               // its end is proposed
    };
    struct follower_state {
        std::int64_t acknowledged = 0; // up to this zxid
        protocol::instant heard{};     // its last sign of life
    };

    /// The time of this server's clock, in milliseconds.
    std::int64_t time_of_leader() const;
    /// Commits the transactions that a majority has acknowledged.
    void commit();
    // Each of these three sets its own timer again.
    void ping();
    void count_followers();
    void expire();

    model_replica& self_;
    std::int64_t counter_ = 0; // the lower half of the last zxid
    std::map<model_session, tracked_session> sessions_;
    std::map<std::size_t, follower_state> followers_;
};

} // namespace turnstile::test
