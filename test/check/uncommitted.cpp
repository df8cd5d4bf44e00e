// SPDX-License-Identifier: BSL-1.0
#include "uncommitted.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <unordered_map>

namespace turnstile::check {
namespace {

std::int64_t epoch_of(std::int64_t zxid) { return zxid >> 32; }

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

} // namespace

std::vector<transaction> take_out_uncommitted(std::vector<transaction>& log) {
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
