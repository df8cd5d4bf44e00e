// SPDX-License-Identifier: BSL-1.0
// Why an operation did not end as asked, or why a held lock was lost.
#pragma once

#include "protocol/wire/zookeeper_code.hpp"

namespace turnstile::protocol {

enum class failure {
    none,
    cancelled,
    timed_out,         // acquire_for's time is over
    would_block,       // try_acquire found somebody
    would_deadlock,    // the own session holds the lock, and does not wait for itself
    unreachable,       // no server within a limit, or the retry limit was reached
    connect_timed_out, // no session within connect_timeout
    not_held,          // the lock was released, or is lost
    not_exclusive,     // the lock is not held to write
    not_shared,        // the lock is not held to read
    not_alone,         // other handles on the lock are out
    names_forbid,      // under Curator's names a writer stays one, and a reader
    session_closed,
    session_full, // the budget of ticket bytes is used up
    create_denied,
    read_denied,
    write_denied,   // the lock path may not be set
    release_denied, // the ticket stays until the right is given
    auth_failed,
    no_chroot,
    sequence_exhausted,
    path_unstable, // the lock path vanished again and again
    taken_back,    // acquired together with others, and not one of those to be kept
    path_renewed,  // the lock path is not the one that was asked for
    nested_path,   // a lock path below or above another one
    owner_unknown, // the servers do not know the owner of what would be made
    path_has_data, // the lock path's node is in use for something else
    lost_expired,
    lost_deadline,
    lost_by_limit, // it was held for as long as its acquire had allowed
    lost_deleted,  // the ticket was deleted from outside
    wrong_kind,    // a lock of another kind is there
    too_many,      // more permits than the semaphore has
    limit_differs, // the semaphore has another limit than the one stated
    no_limit,      // the limit of the semaphore was never stated
    server_error,  // anything else: the code beside it says what
};

/// Why something was not read.
constexpr failure failure_of_read(zookeeper_code code) {
    return code == zookeeper_code::no_auth ? failure::read_denied : failure::server_error;
}

} // namespace turnstile::protocol
