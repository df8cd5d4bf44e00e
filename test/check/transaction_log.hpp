// SPDX-License-Identifier: BSL-1.0
// The transactions that the servers carried out, in order: their transaction logs as text.
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
    std::string lock;       ///< `lock` and `name`: see node_name.hpp
    std::string name;
    std::string request; ///< for a creation: the acquire that it belongs to
};

/// New data of a node that stays.
struct setting {
    std::string lock;
    std::string name;
    bool clears = false; ///< a reader marks that no writer stands before it
};

struct transaction {
    std::int64_t zxid = 0;
    std::int64_t session = 0;
    bool closes = false;   ///< it ends the session, and all its tickets
    bool expiring = false; ///< the session expired: nobody asked for its end
    std::vector<change> changes;
    std::vector<setting> settings;
    std::size_t copies = 0;      ///< how many servers' logs have it
    std::size_t last_source = 0; ///< the last of these; a server may write it twice
    std::size_t fingerprint = 0;
};

struct ordered_log {
    std::vector<transaction> kept; ///< in the order of zxids
    std::vector<transaction>
        undone; ///< in order too: in some log, but the ensemble did not keep it
};

/// The zxids that one server logged, whether the transactions concern tickets or not.
struct server_log {
    std::string name;
    std::vector<std::int64_t> zxids;     ///< in the order of its log
    std::vector<std::int64_t> snapshots; ///< the last zxid of each snapshot
};

/// The union of the servers' logs.
///
/// No log is complete: a server that was far behind got a snapshot instead. And a log may have
/// transactions that never happened: proposals of a leader whose majority had left it. So with
/// three logs or more a transaction counts only if two of them have it, since a majority of three
/// writes it before it is committed. Others that were never committed are taken out
/// (uncommitted.hpp).
class transaction_log {
public:
    /// One server's log, as ZooKeeper's TxnLogToolkit dumps it: its files one after the other. A
    /// transaction may go over several lines.
    void read(std::istream& in, std::string name = {}, std::vector<std::int64_t> snapshots = {});

    [[nodiscard]] ordered_log in_order() const;

    /// The zxids for which the servers have different transactions.
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
