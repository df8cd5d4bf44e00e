// SPDX-License-Identifier: BSL-1.0
// One transaction of the modelled ensemble, and the names of sessions, connections and rights.
#pragma once

#include "protocol/time/instant.hpp"
#include "protocol/wire/message.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace turnstile::test {

using model_session = std::int64_t;
using model_connection = std::uint64_t;

/// A right that may be denied at a node. In the order of ZooKeeper's bits.
enum class model_right { read, write, create, remove };

/// Which server has to answer a transaction, and whom.
struct model_asker {
    std::size_t replica = 0;
    model_connection connection = 0; // 0: nobody
    protocol::request_id request = 0;
};

/// The leader logs and numbers all that changes the tree, and every server applies it in this
/// order. `what` decides which of the other fields count.
struct model_txn {
    enum class kind {
        request,
        refusal, // the leader refuses a request: a transaction that changes nothing
        open_session,
        close_session,
        set,     // sets the data of one node, or of all nodes of a session
        rights,  // an operator takes a right away at a node, or gives it back
        twin,    // another program makes a node of exactly this name
        removal, // an operator or the reaper removes a node, if it has no children
    };

    kind what{};
    model_session session = 0;
    protocol::request request{};
    std::optional<protocol::instant> held_since{}; // it is late: its connection ended then
    protocol::zookeeper_code code{};               // of a refusal
    std::string path{};                            // of set, rights, twin and removal
    model_right right{};
    bool given = false; // the right is given back, and not taken away
    model_asker asker{};
    std::int64_t zxid = 0; // the leader's epoch, then a counter
    std::int64_t time = 0; // in milliseconds, by the leader's clock
};

} // namespace turnstile::test
