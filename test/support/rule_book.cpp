// SPDX-License-Identifier: BSL-1.0
#include "rule_book.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::test {
namespace {

bool matches(const proxy_rule& rule, direction where, const frame& f) {
    return rule.direction == where && (rule.op == op::any || rule.op == f.op) &&
           (rule.part == op::any || rule.part == f.part) &&
           (rule.last_part == op::any || rule.last_part == f.last_part) &&
           (rule.session == 0 || rule.session == f.session) &&
           f.path.find(rule.path) != std::string::npos &&
           (rule.without.empty() || f.path.find(rule.without) == std::string::npos);
}

/// Whether the rule fires at that match; the first one is 1.
bool fires(const proxy_rule& rule, int match) {
    const int after_nth = match - rule.nth;
    return after_nth >= 0 && after_nth % rule.every == 0 &&
           (rule.times == 0 || after_nth / rule.every < rule.times);
}

} // namespace

rule_id rule_book::add(proxy_rule rule) {
    const std::lock_guard lock{mutex_};
    const auto id = static_cast<rule_id>(++last_id_);
    entries_.emplace(id, entry{std::move(rule)});
    return id;
}

void rule_book::remove(rule_id id) {
    const std::lock_guard lock{mutex_};
    entries_.erase(id);
}

void rule_book::clear() {
    const std::lock_guard lock{mutex_};
    entries_.clear();
}

std::optional<verdict> rule_book::judge(direction where, const frame& f) {
    const std::lock_guard lock{mutex_};
    std::optional<verdict> result;
    for (auto& [id, e] : entries_)
        if (matches(e.rule, where, f) && fires(e.rule, ++e.matches) && !result)
            result.emplace(verdict{id, e.rule});
    return result;
}

void rule_book::hit(rule_id id) {
    {
        const std::lock_guard lock{mutex_};
        const auto found = entries_.find(id);
        if (found == entries_.end())
            return; // removed meanwhile
        ++found->second.hits;
    }
    changed_.notify_all();
}

void rule_book::give_back(rule_id id) {
    const std::lock_guard lock{mutex_};
    if (const auto found = entries_.find(id); found != entries_.end()) {
        auto& [rule, matches, hits] = found->second;
        --matches;
        // Later frames that matched have passed, and do not count: the rule is to fire once more.
        if (rule.times != 0)
            matches = std::min(matches, rule.nth + (rule.times - 1) * rule.every - 1);
    }
}

int rule_book::hits(rule_id id) const {
    const std::lock_guard lock{mutex_};
    const auto found = entries_.find(id);
    return found != entries_.end() ? found->second.hits : 0;
}

bool rule_book::wait_until_hit(rule_id id, int times, std::chrono::milliseconds limit) const {
    std::unique_lock lock{mutex_};
    return changed_.wait_for(lock, limit, [&] {
        const auto found = entries_.find(id);
        return found != entries_.end() && found->second.hits >= times;
    });
}

} // namespace turnstile::test
