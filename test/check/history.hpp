// SPDX-License-Identifier: BSL-1.0
// What the processes of a run wrote down: workers, fenced store, proxies, schedule of faults.
#pragma once

#include "lock_kinds.hpp"

#include "promises/once.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace turnstile::check {

using instant = std::int64_t; ///< nanoseconds of CLOCK_BOOTTIME
inline constexpr instant never = std::numeric_limits<instant>::max();

struct interval {
    instant from = 0;
    instant to = never;
};

/// A holder becomes a reader after it was a writer, or a writer after it was a reader.
struct hold_change {
    bool to_write = false;
    instant asked = 0;
    instant answered = never;
    std::string answer;     ///< the code
    std::int64_t token = 0; ///< its token from then on, if it is a writer

    [[nodiscard]] bool succeeded() const { return answer.ends_with(" Success"); }
};

/// A guarded write of a counter under a lock: one more than what was read there.
struct increment {
    std::int64_t value = 0;
    std::string answer{};      ///< the code; empty: none came
    std::int64_t version = -1; ///< of the data, if it was written

    [[nodiscard]] bool succeeded() const { return answer.ends_with(" Success"); }
    /// Whether its worker was told that nobody knows if it was written.
    [[nodiscard]] bool is_open() const;
};

/// What an observer of an election was told last, when its worker stopped.
struct observation {
    std::string who; ///< "observer-1's observer 3"
    std::string lock;
    std::int64_t token = 0; ///< 0: nobody leads
    std::int64_t session = 0;
    std::string value;
    std::int64_t went_back = 0; ///< how often it was told of a leader older than the one before
};

/// One acquire from ask to end, with what its worker said about it.
struct acquire {
    std::size_t worker = 0;
    std::string id;
    std::string lock;
    claim what = claim::exclusive;
    promises::units takes = taken_by(true);
    promises::units places = 0; ///< of a semaphore: its limit
    instant asked = 0;
    instant granted = never;
    std::int64_t token = 0;
    std::int64_t session = 0; ///< as the worker knew it at the grant
    instant released = never; ///< the call
    instant answered = never; ///< told what became of the release
    std::string answer;       ///< the code
    instant lost = never;
    std::string why; ///< why it was lost
    bool failed = false;
    instant failed_at = never;
    bool several = false;             ///< it was a part of a multi_lock
    std::vector<hold_change> changes; ///< in order
    std::vector<increment> increments{};
    bool awaited = true; ///< somebody wants to know what became of the release
    promises::life life{};

    [[nodiscard]] bool has_lock() const noexcept { return granted != never; }
    /// The token of the ticket that it holds, or held in the end.
    [[nodiscard]] std::int64_t last_token() const;
    /// Whether its worker was told that the release succeeded.
    [[nodiscard]] bool was_released() const { return answer.ends_with(" Success"); }
};

/// One incarnation of a worker process.
struct worker {
    std::string name;
    instant timeout = 0; ///< nanoseconds; 0: not known
    instant stopped = never;
    instant killed = never;
    std::vector<interval> pauses;
    std::set<std::int64_t> sessions;
    std::uint64_t outstanding = 0; ///< waiters that were not served when it stopped
};

struct store_write {
    std::string worker;
    std::string id;
    std::string lock;
    std::int64_t token = 0;
    bool accepted = false;
};

/// What the schedule did to a lock or to a session as another program.
struct outside_act {
    instant when = 0;
    std::string path;         ///< a node that it deleted, or empty
    std::int64_t session = 0; ///< a session that it ended, or 0
    instant since = never;    ///< when it began, if it said so
};

/// A connection of a session through a proxy. What proxies write: support/wire_notes.hpp.
struct proxy_connection {
    std::int64_t session = 0;
    interval open; ///< from the answered handshake
};

/// What a server told a client about a node: a watch event, or that the node is not there.
struct notification {
    instant when = 0;
    std::size_t connection = 0; ///< index
    std::string path;
};

/// Something that the schedule did to a server, or to the connections to it.
struct server_fault {
    std::uint64_t server = 0; ///< its number
    bool of_server = false;   ///< it was done to the server, and not only to its proxy
    interval when;
};

/// What a counter was at the end.
struct counter {
    std::int64_t value = 0; ///< 0: it was never made
    std::int64_t version = -1;
};

/// The session whose ticket was the first one of an election at the end.
struct last_leader {
    std::int64_t token = 0;
    std::int64_t session = 0;
};

struct history {
    std::vector<acquire> acquires;
    std::vector<worker> workers;
    std::vector<store_write> writes; ///< in the store's order
    std::vector<outside_act> outside_acts;
    std::vector<server_fault> server_faults;
    std::vector<proxy_connection> connections;
    std::vector<notification> notices; ///< watch events, when they came to a proxy
    std::vector<notification> gone; ///< "no such node", when a proxy gave it to the client's socket
    std::vector<notification> unheard; ///< "no such node", when a proxy swallowed it
    std::vector<instant> answers;      ///< a worker was told that its release was carried out
    std::map<std::string, std::vector<std::string>> left; ///< nodes below each lock path at the end
    std::map<std::string, counter> counters;              ///< by lock
    std::vector<observation> observations;
    std::map<std::string, last_leader> leaders; ///< of elections, by lock
    std::set<std::string> elections;            ///< by lock
    std::uint64_t outstanding = 0;              ///< waiters not served, as the schedule said
    std::uint64_t faults = 0;
    std::uint64_t leader_crashes = 0;
    std::uint64_t process_faults = 0;
    std::uint64_t events = 0;  ///< notifications that the servers sent
    std::uint64_t proxies = 0; ///< of the settings: how many write down what they see
    std::set<std::string> proxies_heard;
    instant timeout = 0;       ///< of the settings
    std::uint64_t servers = 1; ///< of the settings
    instant first = never;     ///< when the first line was written
    instant last = 0;
    std::set<std::string> schedule_lines; ///< the kinds of those that the schedule wrote
    std::vector<std::string> failures;    ///< what the schedule found wrong with the run
    std::vector<std::string> complaints;  ///< lines that make no sense

    /// The session timeout of the worker that asked.
    [[nodiscard]] instant timeout_of(const acquire& a) const;

    /// Index of the acquire that a worker calls `id`; empty if it never asked.
    [[nodiscard]] std::optional<std::size_t> find(const std::string& worker_name,
                                                  const std::string& id) const;

    std::unordered_map<std::string, std::size_t> worker_index;
    std::unordered_map<std::string, std::size_t> acquire_index; ///< "worker id"
};

/// Adds the lines of one file. A worker's lines must be in the order in which it wrote them; the
/// files may come in any order.
void read_history(std::istream& in, const std::string& name, history& out);

} // namespace turnstile::check
