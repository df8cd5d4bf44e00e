// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "proxy_rule.hpp"

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>

namespace turnstile::test {

enum class rule_id : int {};

/// A rule that fires for a frame.
struct verdict {
    rule_id id{};
    proxy_rule rule;
};

/// The rules of a proxy, and how often each was matched and hit. A match is a frame that the rule
/// means; a hit is an action that was carried out. Tests add rules by frame_proxy, and its links
/// ask for each frame. Thread-safe.
class rule_book {
public:
    [[nodiscard]] rule_id add(proxy_rule rule);
    void remove(rule_id id);
    void clear(); ///< removes all rules, and forgets their hits

    /// Counts the matches of the frame. Returns the rule to be applied to it, if any.
    [[nodiscard]] std::optional<verdict> judge(direction where, const frame& f);

    /// Counts a hit: the rule's action has been carried out.
    void hit(rule_id id);

    /// Takes a match back, since the action will not be carried out on that frame. The rule fires
    /// at the next match.
    void give_back(rule_id id);

    [[nodiscard]] int hits(rule_id id) const;
    [[nodiscard]] bool wait_until_hit(rule_id id, int times, std::chrono::milliseconds limit) const;

private:
    struct entry {
        proxy_rule rule;
        int matches = 0;
        int hits = 0;
    };

    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    std::map<rule_id, entry> entries_;
    int last_id_ = 0;
};

} // namespace turnstile::test
