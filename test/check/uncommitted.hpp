// SPDX-License-Identifier: BSL-1.0
// Transactions that are in the logs but never happened.
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

/// The state after the transactions read so far, and which transaction made each part of it.
class witness {
public:
    void hear(const transaction& t) {
        const auto at = closed_.find(t.session);
        if (at != closed_.end() && !t.changes.empty()) {
            doubt(at->second, t);
            closed_.erase(at);
        }
        for (const auto& change : t.changes) {
            auto& node = nodes_[change.lock + '/' + change.name];
            if (node.known && node.stands == change.creates)
                doubt(node.since, t);
            node = {true, change.creates, t.zxid, t.session};
            if (change.creates)
                owned_[t.session].push_back(change.lock + '/' + change.name);
        }
        if (t.closes)
            close(t);
    }

    [[nodiscard]] bool believes(const transaction& t) const {
        const auto at = first_doubt_.find(epoch_of(t.zxid));
        return at == first_doubt_.end() || t.zxid < at->second;
    }

private:
    struct state {
        bool known = false;
        bool stands = false;
        std::int64_t since = 0;
        std::int64_t session = 0; ///< the session that did it
    };

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

    void doubt(std::int64_t earlier, const transaction& later) {
        const auto epoch = epoch_of(earlier);
        if (epoch == epoch_of(later.zxid))
            return; // one leader does not contradict itself: a session may be closed twice
        const auto [at, is_new] = first_doubt_.try_emplace(epoch, earlier);
        at->second = std::min(at->second, earlier);
    }

    std::unordered_map<std::string, state> nodes_;
    std::unordered_map<std::int64_t, std::vector<std::string>> owned_;
    std::unordered_map<std::int64_t, std::int64_t> closed_;
    std::map<std::int64_t, std::int64_t> first_doubt_; // by epoch
};

/// Takes transactions out of a log in the order of zxids: those that a leader proposed and the
/// ensemble did not keep. Returns them. They are in the leader's log. They may be in a follower's,
/// too: it still logs its queue after it has left for the next election (ZOOKEEPER-4712). So the
/// number of copies says nothing.
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
