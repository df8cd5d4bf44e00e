// What goes over the port: requests down, replies and watch events up.
#pragma once

#include "protocol/wire/zookeeper_code.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace turnstile::protocol {

using request_id = std::uint64_t;

enum class operation {
    enqueue, // one transaction: set_data(lock path), create of an ephemeral sequential node
    create_container, // create2 of a container node
    exists,
    get,
    get_children,
    set,
    remove,
    release, // one transaction: set_data(path), delete(path)
    check,   // a transaction of one check: changes nothing, needs the majority
    sync,
};

constexpr bool is_write(operation op) {
    return op != operation::exists && op != operation::get && op != operation::get_children &&
           op != operation::sync;
}

struct request {
    operation op{};
    std::string path{}; // of an enqueue: lock path, slash, prefix
    std::string data{};
    bool watch = false;
};

struct node_stat {
    std::int64_t czxid = 0;
    std::int64_t mzxid = 0;
    std::int64_t ctime = 0; // milliseconds since 1970, by the clock of the server that led then
    std::int64_t ephemeral_owner = 0;
    std::int32_t children = 0;
};

struct reply {
    zookeeper_code code{};
    std::string path{}; // of an enqueue: the full path made
    node_stat stat{};   // of an enqueue: the lock path's, as it was before the create
    std::string data{};
    std::vector<std::string> children{};
    bool set_denied = false; // of a denied enqueue: it was the lock path's set, not the create
};

enum class watch_event {
    changed,  // the node's data
    deleted,  // the node
    created,  // a node that was missing
    children, // the node's children
};

} // namespace turnstile::protocol
