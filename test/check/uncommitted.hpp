// SPDX-License-Identifier: BSL-1.0
// Finds the transactions that are in the logs but never happened. take_out_uncommitted() below says
// by which signs.
#pragma once

#include "transaction_log.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace turnstile::check {

inline std::int64_t epoch_of(std::int64_t zxid) { return zxid >> 32; }

/// Reads all transactions in the order of zxids, and then says which of them to believe. It keeps
/// the state after those read so far, and which transaction made each part of it.
class witness {
public:
    void hear(const transaction& t) {
        const auto closed = closed_.find(t.session);
        if (closed != closed_.end() && !t.changes.empty()) { // so it had not ended
            doubt(closed->second, t);
            closed_.erase(closed);
        }
        for (const auto& change : t.changes) {
            auto& node = nodes_[change.lock + '/' + change.name];
            if (node.known && node.stands == change.creates) // made twice, or deleted twice
                doubt(node.since, t);
            node = {true, change.creates, t.zxid, t.session};
            if (change.creates)
                owned_[t.session].push_back(change.lock + '/' + change.name);
        }
        if (t.closes)
            close(t);
    }

    /// Whether the transaction stands before the first one of its epoch that is in doubt.
    [[nodiscard]] bool believes(const transaction& t) const {
        const auto doubtful = first_doubt_.find(epoch_of(t.zxid));
        return doubtful == first_doubt_.end() || t.zxid < doubtful->second;
    }

private:
    struct state {
        bool known = false; ///< some transaction was about the node
        bool stands = false;
        std::int64_t since = 0;   ///< the transaction that made or deleted it
        std::int64_t session = 0; ///< the session that did so
    };

    /// The session ends, and all its nodes go.
    void close(const transaction& t) {
        closed_[t.session] = t.zxid;
        const auto own = owned_.find(t.session);
        if (own == owned_.end())
            return;
        for (const auto& path : own->second) {
            // If a creation was not kept, its name may have been given to another session.
            if (auto& node = nodes_[path]; node.stands && node.session == t.session)
                node = {true, false, t.zxid, t.session};
        }
        owned_.erase(own);
    }

    /// A later transaction contradicts this earlier one.
    void doubt(std::int64_t earlier, const transaction& later) {
        const auto epoch = epoch_of(earlier);
        if (epoch == epoch_of(later.zxid))
            return; // one leader does not contradict itself: a session may be closed twice
        const auto [first, is_new] = first_doubt_.try_emplace(epoch, earlier);
        first->second = std::min(first->second, earlier);
    }

    std::unordered_map<std::string, state> nodes_;                     // by path
    std::unordered_map<std::int64_t, std::vector<std::string>> owned_; // by session: its nodes
    std::unordered_map<std::int64_t, std::int64_t> closed_;            // by session: its end
    std::map<std::int64_t, std::int64_t> first_doubt_; // by epoch: the first that is in doubt
};

/// Takes the transactions out of a sorted log that a leader proposed and the ensemble did not keep.
/// Returns them. They are in the leader's log. They may be in a follower's, too: it still logs its
/// queue after it has left for the next election (ZOOKEEPER-4712). So the number of copies says
/// nothing.
///
/// Later transactions show them, since each leader begins with all that was committed before its
/// epoch. A later epoch may create a node that exists, delete one that is gone, or hear a session
/// that has ended. Then the transaction of the earlier epoch that contradicts this was not kept,
/// and neither was any after it in that epoch. (Only the end of a session may be logged twice.)
inline std::vector<transaction> take_out_uncommitted(std::vector<transaction>& log) {
    witness w;
    for (const auto& t : log)
        w.hear(t);
    const auto kept =
        std::stable_partition(log.begin(), log.end(), [&](const auto& t) { return w.believes(t); });
    std::vector<transaction> result{std::make_move_iterator(kept),
                                    std::make_move_iterator(log.end())};
    log.erase(kept, log.end());
    return result;
}

} // namespace turnstile::check
