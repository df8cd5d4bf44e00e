// Who believes to hold what: exclusion, tokens that grow, and the order of the line.
#pragma once

#include "state_words.hpp"

#include "protocol/listener.hpp"
#include "protocol/names/ticket_name.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace turnstile::test {

class belief_checker {
public:
    void granted(const std::string& path, protocol::ticket_id who, protocol::ticket_kind kind,
                 std::int64_t token) {
        ++changes_;
        auto& state = locks_[path];
        const bool exclusive = kind == protocol::ticket_kind::exclusive;
        for (const auto& [other, other_exclusive] : state.holders)
            if (exclusive || other_exclusive)
                violations_.push_back("ticket " + std::to_string(who) + " was granted " + path +
                                      " while ticket " + std::to_string(other) + " holds it");
        // In the order of the line: nobody is served before an exclusive ticket that came earlier,
        // and no exclusive one before anybody that came earlier.
        const auto before = exclusive ? std::max(state.exclusive, state.shared) : state.exclusive;
        if (token <= before)
            violations_.push_back("ticket " + std::to_string(who) + " got token " +
                                  std::to_string(token) + " of " + path + " after " +
                                  std::to_string(before));
        auto& newest = exclusive ? state.exclusive : state.shared;
        newest = std::max(newest, token);
        state.holders[who] = exclusive;
    }

    void ended(const std::string& path, protocol::ticket_id who) {
        ++changes_;
        locks_[path].holders.erase(who);
    }

    /// How often anybody's belief changed.
    std::uint64_t changes() const { return changes_; }
    /// Of several holders of one lock the order is that of their numbers.
    void describe(state_words& to) const {
        to.part("beliefs");
        for (const auto& [path, state] : locks_) {
            to.text(path);
            to.zxid_beside(state.exclusive);
            to.zxid_beside(state.shared);
            to.number(state.holders.size());
            for (const auto& [who, exclusive] : state.holders) {
                to.ticket(who);
                to.flag(exclusive);
            }
        }
    }

    const std::vector<std::string>& violations() const { return violations_; }

private:
    struct lock_state {
        std::map<protocol::ticket_id, bool> holders; // and whether exclusively
        std::int64_t exclusive = 0;                  // newest tokens granted
        std::int64_t shared = 0;
    };
    std::map<std::string, lock_state> locks_;
    std::uint64_t changes_ = 0;
    std::vector<std::string> violations_;
};

} // namespace turnstile::test
