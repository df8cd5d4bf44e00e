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

/// Orders transactions, counts acknowledgements, and keeps the only clock of sessions that counts.
/// It goes on until it looks, once a tick, and finds that it has not heard a majority for a while:
/// until then it answers what needs no majority.
class model_leadership {
public:
    explicit model_leadership(model_replica& self);

    void begin();
    void propose(model_txn txn);
    /// Of a client, here or at a follower: checks session and owner before it becomes a
    /// transaction.
    void request(model_txn txn);
    /// A client wants to go on with its session at this server.
    bool validate(model_session session, std::size_t owner);
    void touch(model_session session);
    void touch_all(const std::set<model_session>& sessions);
    /// A word from a follower; false: it is none of this leader's.
    bool heard(std::size_t follower);
    void enrol(std::size_t follower);
    void on_ack(std::size_t follower, std::int64_t zxid);
    void on_pong(std::size_t follower, const std::set<model_session>& sessions);

private:
    struct tracked {
        protocol::instant due{};
        std::optional<std::size_t> owner{};
        bool closing = false;
    };
    struct follower_state {
        std::int64_t acknowledged = 0;
        protocol::instant heard{};
    };

    std::int64_t time_of_leader() const;
    void commit();
    void ping();
    void count_followers();
    void expire();

    model_replica& self_;
    std::int64_t counter_ = 0;
    std::map<model_session, tracked> sessions_;
    std::map<std::size_t, follower_state> followers_;
};

} // namespace turnstile::test
