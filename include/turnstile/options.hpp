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

/// What keeps a lease proved.
enum class lease {
    /// Beats are transactions, which need the majority of the ensemble. So there is no second
    /// holder while the first one believes in its lock, whatever the network does.
    /// docs/internals/benchmarks.md has the cost.
    full,
    /// Beats are `sync`s, which are cheaper. A leader that its majority has left answers them for
    /// some ticks more. For so long two holders may believe in one lock.
    light,
};

/// What becomes of an acquire that has to wait for a lock that its own session holds: another
/// coroutine may release it soon, or a coroutine waits for itself, for ever.
enum class own_wait {
    silent,  ///< it waits
    refused, ///< it fails with `error::would_deadlock`
};

struct session_options {
    /// `host[:port][,host[:port]...][/chroot]`. The port is 2181 if none is given. Names are
    /// resolved again at each attempt.
    std::string servers = "127.0.0.1:2181";

    /// The session timeout to ask for, from 200 ms to one hour. The server may grant another: 2 to
    /// 20 of its ticks by default. At least four ticks make sense.
    std::chrono::milliseconds timeout{15'000};

    /// How long `session::connect` waits for a server. Greater than zero.
    std::chrono::milliseconds connect_timeout{10'000};

    /// How long an acquire waits while no server can be reached. Greater than zero.
    std::chrono::milliseconds unreachable_limit{30'000};

    /// Delays between rounds of connection attempts grow from the first to the second, with jitter.
    std::chrono::milliseconds shortest_backoff{50};
    std::chrono::milliseconds longest_backoff{2'000};

    /// Failed attempts in a row after which the session gives up; 0: never. Acquires and releases
    /// that wait then fail with `error::unreachable`; the next operation tries again, and carries
    /// those releases out. A session that holds a lock goes on until the lock's deadline.
    std::size_t retry_limit = 0;

    /// By how much a loss is reported before the lock's deadline: the time that a holder has to
    /// stop its work. By default a sixteenth of the session timeout; less than a quarter of it, and
    /// cut to a quarter where the server grants a shorter timeout.
    std::optional<std::chrono::milliseconds> margin{};

    turnstile::lease lease = turnstile::lease::full;
    turnstile::own_wait own_wait = turnstile::own_wait::silent;

    /// `tickTime` of the servers, the largest of them. Where it is stated, a holder survives a
    /// longer silence of the servers (docs/operating.md), and a granted timeout of less than two
    /// ticks is warned of. Stated too small, two holders may believe in one lock, which only
    /// fencing tokens then keep apart: leave it unset where you do not know it.
    std::optional<std::chrono::milliseconds> tick{};

    /// Says in each ticket's data who stands there, beside host name and process id.
    std::string label{};

    /// Who the session is, to the servers. With several, each of them counts.
    std::vector<identity> identities{};

    /// Unset: the servers are spoken to in clear text.
    std::optional<tls_options> tls{};

    /// Unset: the servers are told `identities` alone.
    std::optional<sasl_options> sasl{};

    /// Who may do what with the lock directories and tickets that the session makes.
    turnstile::acl acl{};

    /// Only an identity of Turnstile's own may write tickets, so that another program's `set`
    /// cannot look like a release. It is well known; where `acl` is not open, each session draws
    /// its own. Turn this off for servers without the digest scheme or with `skipACL`. Then a
    /// waiter asks the server after each event, which costs a round trip per hand-off.
    bool guard_tickets = true;

    /// For servers with `zookeeper.watchManagerName=...WatchManagerOptimized`, which keep back the
    /// deletion of a waiting ticket that is watched as the others are: two would hold one lock
    /// (docs/operating.md). `turnstile doctor` finds such servers. It costs a hand-off about 7 %.
    bool watch_own_data = false;

    /// How many bytes of ticket paths, the chroot included, the session may have at the server.
    /// Above 2 MB a server cannot restart when the session ends (ZOOKEEPER-4306).
    std::size_t ticket_bytes = 512 * 1024;

    /// The socket of the host's guard (`turnstile guard`). It ends the session as soon as this
    /// process has died, so that others get its locks at once. Empty: none. Without a guard that
    /// answers, a crash costs others the session timeout.
    std::string guard{};

    /// Further processes that work under the session's locks, such as children. The guard awaits
    /// their end, too. At most 8.
    std::vector<pid_t> guarded_processes{};

    logger log{};

    /// Sees what happens to each acquire and each lock.
    lock_observer observer{};
};

} // namespace turnstile
