// SPDX-License-Identifier: BSL-1.0
// One transaction of the modelled ensemble.
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

/// What may be denied at a node. In the order of ZooKeeper's bits.
enum class model_right { read, write, create, remove };

/// Which server has to answer a transaction, and whom.
struct model_asker {
    std::size_t replica = 0;
    model_connection connection = 0; // 0: nobody
    protocol::request_id request = 0;
};

struct model_txn {
    enum class kind {
        request,
        refusal, // of a request, by the leader: a transaction all the same
        open_session,
        close_session,
        set,     // of the data of one node, or of all nodes of a session
        rights,  // by an operator: one of a node is taken away, or given back
        twin,    // another program's node of exactly this name
        removal, // by an operator or the reaper; of a container, only while it is empty
    };

    kind what{};
    model_session session = 0;
    protocol::request request{};
    std::optional<protocol::instant> held_since{}; // on its way, past that end of its connection
    protocol::zookeeper_code code{};               // of a refusal
    std::string path{};                            // of what other hands do
    model_right right{};
    bool given = false; // that right
    model_asker asker{};
    std::int64_t zxid = 0; // the leader's epoch, then a counter
    std::int64_t time = 0; // in milliseconds, by the leader's clock
};

} // namespace turnstile::test
