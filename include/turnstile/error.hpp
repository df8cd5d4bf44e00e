// SPDX-License-Identifier: BSL-1.0
// Why operations fail, as boost::system error codes.
#pragma once

#include <turnstile/detail/export.hpp>

#include <boost/system/error_category.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/error_condition.hpp>

#include <type_traits>

namespace turnstile {

using error_code = boost::system::error_code;

/// Turnstile's own codes. Each message says what to do. A cancelled operation completes with
/// `boost::asio::error::operation_aborted`; what ZooKeeper itself refused for another reason comes
/// in `zookeeper_category()`.
enum class error {
    /// The lock path is not absolute, is too long, is the root, or is /zookeeper or below it.
    /// Or it has a trailing slash, a part that is empty, `.` or `..`, or a character that servers
    /// refuse.
    bad_path = 1,
    /// The lock path lies below or above another lock path of this session.
    nested_path,
    /// The server list is not `host:port[,host:port...][/chroot]`.
    bad_servers,
    /// An option has a value that cannot work. `diagnostics::cause` and a line of the log say which
    /// one, its value and its range. For `bad_path` and `bad_servers` they say what is wrong.
    bad_options,
    /// `session_options::acl` cannot work: it needs an identity that is not there, an entry is not
    /// one of ZooKeeper's, or no identity could use the lock.
    bad_acl,
    /// The chroot of the server list does not exist.
    no_chroot,
    /// No session could be made within `session_options::connect_timeout`.
    connect_timeout,
    /// No server could be reached for `session_options::unreachable_limit`, or when the time limit
    /// of the call was over. Of a `release`: until the lease deadline, or the end of the session.
    unreachable,
    /// The session was closed, or its object destroyed.
    session_closed,
    /// The session has as many tickets as the server can bear.
    session_full,
    /// The server refused an identity.
    auth_failed,
    /// CREATE is denied on the lock path, or on the nearest node above it that is there.
    create_denied,
    /// READ is denied, on the lock path or on a ticket that stands before.
    read_denied,
    /// WRITE is denied on the lock path.
    write_denied,
    /// DELETE is denied on the lock path, which is where a server looks: the ticket stays until the
    /// right is given, or the session ends.
    release_denied,
    /// Others hold the lock or stand in line. `try_acquire` and `try_with_lock` return something
    /// empty in place of this error.
    would_block,
    /// The session holds the lock itself, and `session_options::own_wait` refuses to wait for that.
    would_deadlock,
    /// `downgrade`: the lock is not held to write, or has no readers. Or another downgrade of it
    /// has begun.
    not_exclusive,
    /// `downgrade`: the lock has other handles (`held_lock::share`).
    not_alone,
    /// `acquire_for`: the time is over.
    timeout,
    /// The session expired while the lock was held.
    session_expired,
    /// The lease deadline came near without a proof that the session lives.
    lease_lost,
    /// Another program deleted the ticket.
    ticket_deleted,
    /// The lock path's sequence numbers are nearly used up.
    sequence_exhausted,
    /// The lock path vanished again and again while it was being made.
    path_unstable,
    /// The request would exceed what a server accepts, 1 MiB. An acquire of a `semaphore`: more
    /// than 1,000 permits.
    request_too_large,
    /// The object was made before a fork; use it in the parent only.
    forked,
    /// The lock object is empty, was released, or moved from. Or a request to yield finds no
    /// holder.
    not_held,
    /// The lock was released while its loss, or the risk of one, was awaited: nothing was lost.
    released,
    /// A lock of another kind, or one with other names (`lock_names`), is at the lock path.
    /// (`mutex` and `shared_mutex` are one kind.)
    wrong_kind,
    /// `multi_lock`: two of its parts are one lock, by whatever names they call it.
    duplicate_lock,
    /// `semaphore`: more permits than the limit, also if it is lowered while an acquire waits; or a
    /// limit of 0.
    too_many,
    /// `semaphore`: it has another limit than the one stated.
    limit_differs,
    /// `semaphore`: it does not exist, and no limit was stated to make it with, or there is none to
    /// read.
    no_limit,
    /// `downgrade`, `try_upgrade`: with Curator's names (`lock_names::curator`) a writer stays a
    /// writer, and a reader a reader.
    names_forbid,
    /// `try_upgrade`: the lock is not held to read, or has no readers.
    not_shared,
    /// The node at the lock path has data of its own, which an acquire would set to nothing.
    path_has_data,
    /// `acl::creator_all()`: the servers know the session's identity by another digest than SHA-1.
    owner_unknown,
    /// A write was sent, and no answer came: it may have been carried out. Read the nodes that it
    /// changes.
    outcome_unknown,
    /// The lock was held for as long as `at_most` allows.
    held_too_long,
};

/// Questions about an error that do not depend on its exact code.
enum class condition {
    /// A held lock may belong to somebody else now.
    lock_lost = 1,
    /// The session is over; the next operation opens a new one, unless it was closed.
    session_lost,
    /// A time limit of the caller or of an option was reached.
    timeout,
    /// Trying again may help.
    retryable,
    /// A permission or an identity is missing: one of the `..._denied`, or `auth_failed`.
    denied,
};

TURNSTILE_API const boost::system::error_category& turnstile_category() noexcept;
/// Codes of ZooKeeper's C client, as they are (-101: no node).
TURNSTILE_API const boost::system::error_category& zookeeper_category() noexcept;
TURNSTILE_API const boost::system::error_category& condition_category() noexcept;

TURNSTILE_API error_code make_error_code(error e) noexcept;
TURNSTILE_API boost::system::error_condition make_error_condition(condition c) noexcept;

} // namespace turnstile

namespace boost::system {

template <>
struct is_error_code_enum<turnstile::error> : std::true_type {};
template <>
struct is_error_condition_enum<turnstile::condition> : std::true_type {};

} // namespace boost::system
