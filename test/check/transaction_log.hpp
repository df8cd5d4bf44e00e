// SPDX-License-Identifier: BSL-1.0
// What the servers did, in the order in which they did it: their transaction logs as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace turnstile::check {

/// The creation or removal of a ticket, a lease or a holder. Other nodes are left out.
struct change {
    bool creates = false;
    bool hands_off = false; ///< a removal with set_data in one transaction: an owner's release
    std::string lock;       ///< and name: see node_name.hpp
    std::string name;
    std::string request; ///< of a creation: the acquire that it belongs to
};

/// New data of a node that stays.
struct setting {
    std::string lock;
    std::string name;
    bool clears = false; ///< a reader's word that no writer stands before it
};

struct transaction {
    std::int64_t zxid = 0;
    std::int64_t session = 0;
    bool closes = false;   ///< the session's end: all its tickets go
    bool expiring = false; ///< and nobody asked for it
    std::vector<change> changes;
    std::vector<setting> settings;
    std::size_t copies = 0;      ///< in how many servers' logs it stands
    std::size_t last_source = 0; ///< the last of those; a server may write a transaction twice
    std::size_t fingerprint = 0;
};

struct ordered_log {
    std::vector<transaction> kept; ///< in the order of zxids
    std::vector<transaction>
        undone; ///< in order too: in some log, but the ensemble did not keep it
};

/// What one server kept of all transactions, whether they concern tickets or not.
struct server_log {
    std::string name;
    std::vector<std::int64_t> zxids;     ///< in the order of its log
    std::vector<std::int64_t> snapshots; ///< up to which zxids it has one
};

/// The union of the servers' logs.
///
/// No log is complete: a server that was far behind got a snapshot instead. And a log may hold what
/// never happened: proposals of a leader whose majority had left it. So with three logs or more, a
/// transaction counts only if it stands in two of them (a majority of three has written it before
/// it is committed), and what was never committed all the same is taken out (uncommitted.hpp).
class transaction_log {
public:
    /// One server's log, as ZooKeeper's TxnLogToolkit dumps it: its files one after the other. A
    /// transaction may go over several lines.
    void read(std::istream& in, std::string name = {}, std::vector<std::int64_t> snapshots = {});

    [[nodiscard]] ordered_log in_order() const;

    /// Zxids under which the servers have different transactions.
    [[nodiscard]] const std::vector<std::int64_t>& contradictions() const noexcept {
        return contradictions_;
    }
    [[nodiscard]] const std::vector<server_log>& servers() const noexcept { return servers_; }
    [[nodiscard]] bool empty() const noexcept { return transactions_.empty(); }

private:
    void add(transaction&& t);

    std::vector<server_log> servers_;
    std::vector<transaction> transactions_;
    std::unordered_map<std::int64_t, std::size_t> by_zxid_;
    std::vector<std::int64_t> contradictions_;
};

/// The zxids in the names of a server's files of one kind ("log", "snapshot"), the oldest first.
[[nodiscard]] std::vector<std::int64_t> zxids_of_files(const std::filesystem::path& version_folder,
                                                       std::string_view kind);

/// Dumps all log files in `version_folder` ("version-2") to `output` with the tool of Debian's
/// zookeeper package. Throws std::runtime_error.
void dump_transaction_log(const std::filesystem::path& version_folder,
                          const std::filesystem::path& output);

} // namespace turnstile::check
