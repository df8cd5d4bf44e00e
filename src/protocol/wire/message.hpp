// SPDX-License-Identifier: BSL-1.0
// What goes over the port: requests down, replies and watch events up.
#pragma once

#include "protocol/wire/zookeeper_code.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
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
    get_acl,
    set,              // a transaction of one set
    remove,           // a transaction of one deletion
    release,          // one transaction: set_data(path), delete(path)
    downgrade,        // one transaction: create of an ephemeral node (target), delete(path)
    check,            // a transaction of one check: changes nothing, needs the majority
    create_holder,    // one transaction: set_data(parent), create of an ephemeral node of this name
    delete_holder,    // one transaction: check(parent, version), delete(path)
    transact,         // one transaction of the steps that the request lists
    unwatch,          // takes this connection's watch off the node
    unwatch_children, // off its children
};

inline constexpr std::size_t operations = static_cast<std::size_t>(operation::unwatch_children) + 1;

constexpr bool is_write(operation op) {
    return op != operation::exists && op != operation::get && op != operation::get_children &&
           op != operation::get_acl && op != operation::unwatch &&
           op != operation::unwatch_children;
}

enum class step_kind : std::uint8_t {
    check,
    set,
    remove,
    create,            // of a persistent node of this name
    create_ephemeral,  // of this name; no ticket, so those who may write there may write it
    create_sequential, // a ticket; the server appends a number to the name
};

/// One operation of a transaction.
struct transaction_step {
    step_kind what{};
    std::string path{};
    std::string data{};        // of a set or a create
    std::int32_t version = -1; // of a check, a set or a remove; -1 is any
};

struct request {
    operation op{};
    std::string path{}; // of an enqueue: lock path, slash, prefix
    std::string data{};
    bool watch = false;
    std::int32_t version = -1;             // of a delete_holder: of the parent's data; -1 is any
    std::string target{};                  // of a downgrade
    std::vector<transaction_step> steps{}; // of a transact
};

/// About as many bytes as the request has on the wire, but for the rights that it carries. A check
/// is of a node that was made, so its text is no longer than what has passed before.
inline std::size_t bytes_of(const request& what) {
    constexpr std::size_t of_step = 64;
    auto bytes = of_step + what.path.size() + what.data.size() + what.target.size();
    for (const auto& step : what.steps)
        if (step.what != step_kind::check)
            bytes += of_step + step.path.size() + step.data.size();
    return bytes;
}

struct node_stat {
    std::int64_t czxid = 0;
    std::int64_t mzxid = 0;
    std::int64_t mtime = 0; // of the data, as ctime
    std::int64_t ctime = 0; // milliseconds since 1970, by the clock of the server that led then
    std::int64_t ephemeral_owner = 0;
    std::int32_t data_bytes = 0;
    std::int32_t children = 0;
    std::int32_t version = 0;       // of the data
    std::int32_t child_version = 0; // counts creations and deletions of children

    /// Children made so far: the next sequential one gets this number. `child_version` is twice
    /// that, less the children, and turns negative from 2^30 on.
    std::int32_t next_sequence() const {
        const auto twice =
            static_cast<std::uint32_t>(child_version) + static_cast<std::uint32_t>(children);
        return static_cast<std::int32_t>(twice / 2);
    }
};

/// What one step of a transaction did, or why it refused. If one refuses, none of them happens:
/// those before it show `ok`, those behind it `runtime_inconsistency`.
struct step_result {
    zookeeper_code code{};
    std::string path{}; // of a create: the full path made
    node_stat stat{};   // of a set: right after it, before the steps behind it
};

struct reply {
    zookeeper_code code{};
    std::string path{}; // of an enqueue, or a create_holder: the full path made
    node_stat stat{};   // of these: the lock path's, after its set and before the create
    std::string data{};
    std::vector<std::string> children{};
    bool gives_more = false;            // of a get_acl: gives others more than our nodes do
    bool first_step_denied = false;     // a transaction was denied by its first step
    std::vector<step_result> results{}; // of a transact, one for each step
};

/// The first step of a transaction that was refused; past the end if the server names none.
inline std::size_t failed_step(const reply& answer) {
    const auto failed = std::ranges::find_if(
        answer.results, [](const auto& each) { return each.code != zookeeper_code::ok; });
    return static_cast<std::size_t>(failed - answer.results.begin());
}

using reply_handler = std::function<void(const reply&)>;

enum class watch_event {
    changed,  // the node's data
    deleted,  // the node
    created,  // a node that was missing
    children, // the node's children
};

} // namespace turnstile::protocol
