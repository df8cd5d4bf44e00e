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
    too_large = -999,  // of no server: this side did not send the request (see size_limit)
};

/// Whether this code proves that the server has processed the request. For a write it also proves a
/// commit. No other code does.
constexpr bool answered(zookeeper_code code) {
    using enum zookeeper_code;
    return code == ok || code == no_node || code == no_auth || code == bad_version ||
           code == node_exists || code == not_empty;
}

/// Whether the answer is lost: a write may have happened or not. The connection ends after such a
/// code. What the request has done shows after the reconnect, or the session has expired.
constexpr bool outcome_unknown(zookeeper_code code) {
    using enum zookeeper_code;
    return code == connection_loss || code == operation_timeout || code == runtime_inconsistency ||
           code == system_error || code == closing || code == session_moved ||
           code == session_expired || code == invalid_state || code == auth_failed;
}

/// Whether the server has refused a read: it has neither shown the node, nor said that the node is
/// missing.
constexpr bool refused(zookeeper_code code) {
    return code != zookeeper_code::ok && code != zookeeper_code::no_node && !outcome_unknown(code);
}

} // namespace turnstile::protocol
