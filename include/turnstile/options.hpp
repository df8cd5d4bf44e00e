// SPDX-License-Identifier: BSL-1.0
// Options of a session.
#pragma once

#include <turnstile/acl.hpp>
#include <turnstile/lock_event.hpp>
#include <turnstile/logger.hpp>
#include <turnstile/sasl.hpp>
#include <turnstile/tls.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace turnstile {

/// What an acquire does if its own session holds the lock. Perhaps another coroutine releases it
/// soon; perhaps a coroutine would wait for itself for ever.
enum class own_wait {
    silent,  ///< the acquire waits
    refused, ///< the acquire fails with `error::would_deadlock`
};

struct session_options {
    /// `host[:port][,host[:port]...][/chroot]`. The port is 2181 if none is given. Names are
    /// resolved again at each attempt.
    std::string servers = "127.0.0.1:2181";

    /// The session timeout to ask for, from 200 ms to one hour. The server may grant another: 2 to
    /// 20 of its ticks by default. At least four ticks make sense.
    std::chrono::milliseconds timeout{15'000};

    /// How long `session::connect` waits for a server. Greater than zero. One attempt takes a third
    /// of it at most, or a second if that is more, so that silent servers leave time for others.
    /// Raise it if TLS or a login takes longer.
    std::chrono::milliseconds connect_timeout{10'000};

    /// How long an acquire waits while no server can be reached. Greater than zero.
    std::chrono::milliseconds unreachable_limit{30'000};

    /// The delay between rounds of connection attempts grows from the shortest to the longest, with
    /// jitter.
    std::chrono::milliseconds shortest_backoff{50};
    std::chrono::milliseconds longest_backoff{2'000};

    /// A loss is reported this long before the lock's deadline: the holder has this time to stop
    /// its work. Unset: a sixteenth of the session timeout. The margin must be less than a quarter
    /// of `timeout`. If the server grants a shorter timeout, it is cut to a quarter of that.
    std::optional<std::chrono::milliseconds> margin{};

    turnstile::own_wait own_wait = turnstile::own_wait::silent;

    /// The largest `tickTime` of the servers. If it is stated, a holder survives a longer silence
    /// of the servers (docs/operating.md), and the log warns of a granted timeout of less than two
    /// ticks. If the stated one is too small, two holders may believe in one lock, and only fencing
    /// tokens keep them apart: leave it unset if you do not know it.
    std::optional<std::chrono::milliseconds> tick{};

    /// A text in each ticket's data, beside host name and process id, that says who stands there.
    std::string label{};

    /// The identities that the session shows to the servers. It has the rights of all of them.
    std::vector<identity> identities{};

    /// Unset: the connections are not encrypted.
    std::optional<tls_options> tls{};

    /// Unset: the session does not log in by SASL, and has `identities` alone.
    std::optional<sasl_options> sasl{};

    /// The rights on the lock paths and tickets that the session makes.
    turnstile::acl acl{};

    /// If true, only an identity of Turnstile's own may write tickets: then no `set` of another
    /// program can look like a release. The identity is a public one, but each session draws its
    /// own if `acl` is not open. Set this to false for servers without the digest scheme, or with
    /// `skipACL`. Then a waiter asks the server after each event: a round trip for each hand-off.
    bool protect_tickets = true;

    /// Set this to true for servers with `zookeeper.watchManagerName=...WatchManagerOptimized`.
    /// These do not report the deletion of a waiting ticket if it is watched in the usual way, so
    /// two would hold one lock (docs/operating.md). `turnstile doctor` finds such servers. The
    /// option makes a hand-off about 7 % slower.
    bool watch_own_data = false;

    /// The session may have this many bytes of ticket paths, the chroot included, at the server. If
    /// it has more than 2 MB when it ends, a server cannot restart any more (ZOOKEEPER-4306).
    std::size_t ticket_bytes = 512 * 1024;

    /// The socket of the host's guard (`turnstile guard`). The guard ends the session as soon as
    /// this process has died, so that others get its locks at once. Without a guard that answers,
    /// they wait for the session timeout. Empty: no guard.
    std::string host_guard{};

    /// Further processes that work under the session's locks, such as children. The guard awaits
    /// their end, too. At most 8.
    std::vector<pid_t> host_guard_processes{};

    logger log{};

    /// Is called with each event of an acquire or a lock.
    lock_observer observer{};
};

} // namespace turnstile
