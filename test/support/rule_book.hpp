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

/// A rule that fired for a frame.
struct verdict {
    rule_id id{};
    proxy_rule rule;
};

/// The rules of a proxy and how often each was hit. Thread-safe.
class rule_book {
public:
    [[nodiscard]] rule_id add(proxy_rule rule);
    void remove(rule_id id);
    void clear(); ///< hits are forgotten as well

    /// Counts the frame's matches and returns the rule to be applied to it, if any.
    [[nodiscard]] std::optional<verdict> judge(direction where, const frame& f);

    /// The rule's action has been carried out.
    void hit(rule_id id);

    /// The rule's action will not be carried out on the frame that matched: the match is not
    /// counted, and the rule fires at the next one.
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
