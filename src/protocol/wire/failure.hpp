// Why an operation did not end as asked, or why a held lock was lost.
#pragma once

namespace turnstile::protocol {

enum class failure {
    none,
    cancelled,
    timed_out,         // acquire_for's time is over
    would_block,       // try_acquire found somebody
    would_deadlock,    // the own session holds the lock, and was told not to wait for itself
    unreachable,       // no server within unreachable_limit, or the retry limit was reached
    connect_timed_out, // no session within connect_timeout
    not_exclusive,     // the lock is not held to write
    not_alone,         // other handles on the lock are out
    session_closed,
    session_full, // the budget of ticket bytes is used up
    create_denied,
    read_denied,
    write_denied,   // the lock path may not be set
    release_denied, // the ticket stays until the session ends
    auth_failed,
    no_chroot,
    sequence_exhausted,
    path_unstable, // the lock path vanished again and again
    nested_path,   // a lock path below or above another one
    lost_expired,
    lost_deadline,
    lost_deleted, // the ticket was deleted from outside
    wrong_kind,   // a lock of another kind is there
    server_error, // anything else, told by the code beside it
};

} // namespace turnstile::protocol
