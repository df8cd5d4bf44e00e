// SPDX-License-Identifier: BSL-1.0
#include "doctor/server_findings.hpp"

#include "text/printable.hpp"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

namespace turnstile::command {

namespace {

using std::chrono::milliseconds;
using words = server_facts::words;

std::optional<std::int64_t> number_in(const server_facts::values& from, const std::string& key) {
    const auto found = from.find(key);
    std::int64_t result = 0;
    if (found == from.end() ||
        std::from_chars(found->second.data(), found->second.data() + found->second.size(), result)
                .ec != std::errc())
        return std::nullopt;
    return result;
}

std::string text_in(const server_facts::values& from, const std::string& key) {
    const auto found = from.find(key);
    return found == from.end() ? "" : found->second;
}

std::string seconds_of(std::int64_t ms) {
    return ms % 1000 == 0 ? fmt::format("{} s", ms / 1000) : fmt::format("{} ms", ms);
}

/// Returns "3.8.0" if the server says "3.8.0-<hash>, built on ...".
std::string version_of(const server_facts& facts) {
    const auto whole = text_in(facts.srvr, "Zookeeper version");
    return whole.substr(0, whole.find_first_of("-, "));
}

/// Container nodes came with 3.5.3.
bool has_containers(const std::string& version) {
    std::array<int, 3> parts{};
    const char* at = version.data();
    const char* const end = at + version.size();
    for (auto& each : parts) {
        at = std::from_chars(at, end, each).ptr;
        at += at != end;
    }
    return parts >= std::array{3, 5, 3};
}

/// Makes the findings about one server, by one check after the other. all() is called once.
class server_check {
public:
    server_check(const server_facts& facts, const wanted_session& wanted, bool alone)
        : facts_(facts), wanted_(wanted), alone_(alone) {}

    findings all() {
        if (check_reached()) {
            check_tls();
            check_session();
            check_watches();
            check_words();
        }
        return std::move(found_);
    }

private:
    /// Adds a finding. `check` is its short name; without an advice there is nothing to do.
    void add(severity how, const char* check, std::string text, std::string advice = {}) {
        found_.push_back({how, check, facts_.where.text, std::move(text), std::move(advice)});
    }
    /// How bad it is that this server does not serve: others may be there.
    severity fault() const { return alone_ ? severity::error : severity::warning; }

    /// Returns whether the other checks make sense.
    bool check_reached() {
        if (!facts_.not_reached.empty() && facts_.no_session) {
            add(fault(), "reached", fmt::format("cannot be reached: {}", facts_.not_reached),
                facts_.said == words::unnamed
                    ? "Correct its name in the list of servers, or look at this machine's name "
                      "servers."
                    : "Start a server there, or correct its address in the list of servers.");
            return false;
        }
        if (facts_.said == words::foreign) {
            add(fault(), "reached",
                fmt::format("answers, but not as ZooKeeper does: '{}'",
                            printable(facts_.first_line)),
                "Write the client port of a ZooKeeper server, which is 2181 as a rule.");
            return false;
        }
        if (facts_.said == words::not_serving) {
            add(fault(), "reached",
                "runs, but does not serve: it finds no majority of its ensemble",
                "Start the other servers of the ensemble, and look into this server's log.");
            return false;
        }
        return true;
    }

    void check_identity() {
        const auto& cause = facts_.told.cause;
        if (!wanted_.sasl && cause.find("sessionRequireClientSASLAuth") != std::string::npos)
            return add(severity::error, "session", "demands SASL",
                       "Write a line such as sasl alice:secret into the file of --auth-file, or "
                       "give --sasl gssapi where it uses Kerberos. Its JAAS file has the users.");
        add(severity::error, "session",
            "refuses our identity" + (cause.empty() ? "" : ": " + printable(cause)),
            wanted_.sasl ? "Correct the line sasl in the file of --auth-file, or the options "
                           "--sasl... for Kerberos. The server's log tells why it refuses."
                         : "Correct the scheme and the secret in the file of --auth-file.");
    }

    void check_tls() {
        if (facts_.tls.empty())
            return;
        const bool ends_soon = facts_.days_left < 14;
        add(ends_soon ? severity::warning : severity::ok, "tls",
            fmt::format("speaks {}, and its certificate has {} day{} left", facts_.tls,
                        facts_.days_left, facts_.days_left == 1 ? "" : "s"),
            ends_soon ? "Renew it: without a valid one no session reaches the server." : "");
    }

    void check_session() {
        if (facts_.no_session == error::no_chroot || facts_.access_failed == error::no_chroot)
            return add(severity::error, "session",
                       fmt::format("the node {} of the list of servers is missing",
                                   printable(wanted_.chroot)),
                       "Create this node, or leave it out of the list.");
        if (facts_.no_session == error::auth_failed)
            return check_identity();
        const auto& cause = facts_.told.cause;
        if (facts_.no_session)
            return add(fault(), "session",
                       fmt::format("grants no session: {}",
                                   cause.empty() ? facts_.no_session.message() : cause),
                       advice_without_session());
        check_timeout();
        check_latency();
    }

    const char* advice_without_session() const {
        const auto& cause = facts_.told.cause;
        if (wanted_.sasl && cause.find("Kerberos") != std::string::npos)
            return "Look at what `klist` tells, and at --sasl-principal and --sasl-keytab here.";
        if (wanted_.tls && cause.starts_with("no answer"))
            return "It may still be starting, or have too much to do: ask again, and look into its "
                   "log.";
        if (wanted_.tls)
            return "Look into the server's log, at ssl.clientAuth and the stores of its zoo.cfg, "
                   "and at --tls-ca, --tls-cert and --tls-name here.";
        if (facts_.said == words::silent)
            return "Look into the server's log. Perhaps maxClientCnxns of zoo.cfg is reached, the "
                   "port is its secureClientPort (give --tls), or it is no ZooKeeper server.";
        return "Look into the server's log. Perhaps maxClientCnxns of zoo.cfg is reached.";
    }

    void check_timeout() {
        const auto asked = wanted_.timeout.count();
        const auto granted = facts_.granted.count();
        if (granted == asked)
            return add(severity::ok, "timeout",
                       fmt::format("grants the session timeout of {}", seconds_of(asked)));
        const auto text = fmt::format("grants a session timeout of {}, and not the {} asked for",
                                      seconds_of(granted), seconds_of(asked));
        if (granted > asked)
            add(severity::warning, "timeout", text + ": minSessionTimeout is above it",
                fmt::format(
                    "Ask for it with --timeout {}ms, or lower minSessionTimeout in zoo.cfg. "
                    "Others get the lock of a dead holder only after that time.",
                    granted));
        else
            add(severity::warning, "timeout", text + ": maxSessionTimeout is below it",
                fmt::format(
                    "Ask for it with --timeout {}ms, or raise maxSessionTimeout in zoo.cfg. "
                    "A holder that is cut off loses its lock sooner than you expect.",
                    granted));
    }

    // The factors 12 and 9: docs/internals/protocol.md, "Where answers are slow".
    void check_latency() {
        if (facts_.access_failed == error::unreachable)
            return add(severity::error, "write",
                       "leaves open, again and again, what became of a write, as servers do that "
                       "make local sessions only (localSessionsUpgradingEnabled is not set)",
                       "Set it to true in zoo.cfg, or leave localSessionsEnabled out. If that is "
                       "not it, the server's log may tell more.");
        if (facts_.access_failed)
            return add(severity::error, "write",
                       fmt::format("refuses a write: {}", facts_.access_failed.message()),
                       "The server's log may tell more.");
        if (!facts_.access)
            return add(severity::warning, "latency", "did not answer a few writes in time",
                       "Look at the network and at the server's disk.");
        const auto slowest = facts_.slowest_answer;
        const auto text = fmt::format("answers within {} ms", slowest.count());
        if (slowest * 12 <= facts_.granted)
            return add(severity::ok, "latency", text);
        const bool too_slow = slowest * 9 > facts_.granted;
        add(too_slow ? severity::error : severity::warning, "latency",
            fmt::format("{}, and a lock with a session timeout of {} needs {} ms", text,
                        seconds_of(facts_.granted.count()), facts_.granted.count() / 12),
            fmt::format("Make the server or the network quicker, or ask for --timeout {}ms.",
                        slowest.count() * 12));
    }

    // The fault of that manager: docs/internals/optimized_watch_manager.md
    void check_watches() {
        if (facts_.watches == watch_manager::unknown)
            return add(severity::unknown, "watches", "its watch manager cannot be seen");
        if (facts_.watches == watch_manager::usual)
            return add(severity::ok, "watches", "has the usual watch manager");
        add(severity::error, "watches",
            "has a watch manager (zookeeper.watchManagerName) that may keep the deletion of a "
            "ticket from the session that waits by it: two may hold one lock",
            "Start it without -Dzookeeper.watchManagerName=...WatchManagerOptimized, or set "
            "session_options::watch_own_data (--watch-own-data) wherever locks are taken.");
    }

    // The "words" are ZooKeeper's commands of four letters, such as srvr.
    void check_words() {
        if (facts_.said != words::answered)
            return add_silence();
        check_mode();
        check_version();
        check_ticks();
        check_connections();
        check_disk();
    }

    void add_silence() {
        std::string why = "does not answer the question 'srvr'";
        const char* advice = "To see them, look whether maxClientCnxns of zoo.cfg is reached.";
        if (facts_.said == words::unnamed) {
            why = facts_.not_reached;
            advice = "Look at this machine's name servers.";
        } else if (facts_.said == words::not_allowed) {
            why = "does not allow the question 'srvr'";
            advice = "To see them, write 4lw.commands.whitelist=srvr,conf,mntr,cons in zoo.cfg.";
        }
        add(severity::unknown, "words",
            why + ": its state, tick, limits, version and connections cannot be seen", advice);
    }

    void check_mode() {
        const auto mode = text_in(facts_.srvr, "Mode");
        if (mode == "standalone")
            add(severity::note, "mode", "is a single server: while it is away, nobody gets a lock",
                "Run an ensemble of three servers where that counts.");
        else if (mode == "read-only")
            add(severity::error, "mode", "is read-only: it has lost the majority of its ensemble",
                "Start the other servers, or mend the network between them.");
        else
            add(severity::ok, "mode", fmt::format("is a {} of an ensemble", printable(mode)));
    }

    void check_version() {
        const auto version = printable(version_of(facts_));
        if (has_containers(version))
            return add(severity::ok, "version",
                       fmt::format("is ZooKeeper {}, and has container nodes", version));
        add(severity::error, "version",
            fmt::format("is ZooKeeper {}, which has no container nodes for lock paths", version),
            "Use ZooKeeper 3.5.3 or newer.");
    }

    void check_ticks() {
        const auto tick = number_in(facts_.conf, "tickTime");
        if (!tick)
            return add(severity::unknown, "tick", "does not tell its tickTime",
                       "To see it, add conf to 4lw.commands.whitelist in zoo.cfg.");
        const auto granted = facts_.granted.count();
        if (granted != 0 && granted < 4 * *tick)
            add(granted < 2 * *tick ? severity::error : severity::warning, "tick",
                fmt::format("has a tick of {}: a session timeout of {} is less than four ticks",
                            seconds_of(*tick), seconds_of(granted)),
                fmt::format("Ask for --timeout {}ms or more, or lower tickTime in zoo.cfg.",
                            4 * *tick));
        else
            add(severity::ok, "tick", fmt::format("has a tick of {}", seconds_of(*tick)));
        if (wanted_.tick && wanted_.tick->count() < *tick)
            add(severity::error, "tick",
                fmt::format("has a tick of {}, and {} are stated: two may hold one lock",
                            seconds_of(*tick), seconds_of(wanted_.tick->count())),
                fmt::format("State it with --tick {}ms, or leave it unstated.", *tick));
        if (const auto least = number_in(facts_.conf, "minSessionTimeout");
            least && *least < 2 * *tick)
            add(severity::warning, "tick",
                fmt::format("allows session timeouts of {}, which is less than two ticks",
                            seconds_of(*least)),
                "Leave minSessionTimeout out of zoo.cfg, or set it to two ticks or more.");
    }

    void check_connections() {
        const auto most = number_in(facts_.conf, "maxClientCnxns");
        if (!most)
            return add(severity::unknown, "connections",
                       "does not tell how many connections it allows from a host",
                       "To see it, add conf and cons to 4lw.commands.whitelist in zoo.cfg.");
        if (*most == 0)
            return add(severity::ok, "connections", "allows any number of connections from a host");
        const auto text = fmt::format("allows {} connections from a host", *most);
        if (!facts_.own_connections)
            return add(severity::unknown, "connections",
                       text + ", and does not tell how many it has",
                       "To see it, add cons to 4lw.commands.whitelist in zoo.cfg.");
        const auto own = static_cast<std::int64_t>(*facts_.own_connections);
        const bool few_left = own * 5 > *most * 4;
        add(few_left ? severity::warning : severity::ok, "connections",
            fmt::format("{}, and has {} from here", text, own),
            few_left ? "Raise maxClientCnxns in zoo.cfg, or share sessions within a process." : "");
    }

    void check_disk() {
        const auto slow = number_in(facts_.mntr, "zk_fsync_threshold_exceed_count");
        if (facts_.mntr.empty() || !facts_.mntr.contains("zk_version"))
            return add(severity::unknown, "disk", "does not tell how slow its disk was",
                       "To see it, add mntr to 4lw.commands.whitelist in zoo.cfg.");
        if (slow && *slow > 0)
            add(severity::warning, "disk",
                fmt::format(
                    "has waited for its disk for more than a second, {} times since its start",
                    *slow),
                "Give dataLogDir a quick disk of its own.");
        else
            add(severity::ok, "disk", "has not waited long for its disk");
    }

    const server_facts& facts_;
    const wanted_session& wanted_;
    const bool alone_;
    findings found_{};
};

} // namespace

findings findings_of(const server_facts& facts, const wanted_session& wanted, bool alone) {
    return server_check(facts, wanted, alone).all();
}

} // namespace turnstile::command
