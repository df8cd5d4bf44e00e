// SPDX-License-Identifier: BSL-1.0
// ZooKeeper's result codes, as far as the protocol decides on them (zookeeper.h, enum ZOO_ERRORS).
#pragma once

namespace turnstile::protocol {

enum class zookeeper_code : int {
    ok = 0,
    system_error = -1,
    runtime_inconsistency = -2,
    connection_loss = -4,
    marshalling_error = -5,
    unimplemented = -6,
    operation_timeout = -7,
    bad_arguments = -8,
    invalid_state = -9,
    no_node = -101,
    no_auth = -102,
    bad_version = -103,
    no_children_for_ephemerals = -108,
    node_exists = -110,
    not_empty = -111,
    session_expired = -112,
    invalid_acl = -114,
    auth_failed = -115,
    closing = -116,
    nothing = -117,
    session_moved = -118,
    no_watcher = -121, // there was no watch to be taken off
    throttled = -127,  // not carried out: the server has too much to do
    too_large = -999,  // no server's word: not sent any more (see size_limit)
};

/// Only these codes prove that the server processed the request; no other one proves a commit.
constexpr bool answered(zookeeper_code code) {
    using enum zookeeper_code;
    return code == ok || code == no_node || code == no_auth || code == bad_version ||
           code == node_exists || code == not_empty;
}

/// After these a write may or may not have happened, and the connection is ending: open requests
/// are settled after the reconnect, or by the news of the session's expiry.
constexpr bool outcome_unknown(zookeeper_code code) {
    using enum zookeeper_code;
    return code == connection_loss || code == operation_timeout || code == runtime_inconsistency ||
           code == system_error || code == closing || code == session_moved ||
           code == session_expired || code == invalid_state || code == auth_failed;
}

/// The server would not answer: neither with what was asked for, nor that it is missing.
constexpr bool refused(zookeeper_code code) {
    return code != zookeeper_code::ok && code != zookeeper_code::no_node && !outcome_unknown(code);
}

} // namespace turnstile::protocol
