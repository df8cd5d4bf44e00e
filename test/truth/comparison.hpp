// SPDX-License-Identifier: BSL-1.0
// Whether two servers said the same.
#pragma once

#include "step.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace turnstile::test {

// One transaction fires its events in no order: a session's nodes are deleted as a hash set has
// them.
inline void sort_events(std::vector<heard>& words) {
    const auto is_event = [](const heard& word) {
        return std::holds_alternative<reports::event>(word);
    };
    const auto by_path = [](const heard& one, const heard& other) {
        const auto& a = std::get<reports::event>(one);
        const auto& b = std::get<reports::event>(other);
        return std::tie(a.path, a.what) < std::tie(b.path, b.what);
    };
    for (auto begin = words.begin(); begin != words.end();) {
        begin = std::find_if(begin, words.end(), is_event);
        const auto end = std::find_if_not(begin, words.end(), is_event);
        std::sort(begin, end, by_path);
        begin = end;
    }
}

/// Numbers of one side that stand for numbers of the other, one to one.
class pairing {
public:
    enum class order { any, kept };
    explicit pairing(order which) : order_(which) {}

    /// False: one of them stands for another number already, or comes earlier on one side and later
    /// on the other.
    bool agree(std::int64_t real, std::int64_t modelled) {
        const auto [at, is_new] = to_model_.emplace(real, modelled);
        const auto [back, is_new_back] = to_real_.emplace(modelled, real);
        if (at->second != modelled || back->second != real || is_new != is_new_back)
            return false;
        if (order_ == order::any || !is_new)
            return true;
        const auto after = std::next(at);
        return (at == to_model_.begin() || std::prev(at)->second < modelled) &&
               (after == to_model_.end() || modelled < after->second);
    }

private:
    const order order_;
    std::map<std::int64_t, std::int64_t> to_model_{{0, 0}};
    std::map<std::int64_t, std::int64_t> to_real_{{0, 0}};
};

/// Names, codes, data, children and counts are equal; sessions and transactions are paired: a
/// server numbers them by itself, and only their order says something.
class comparison {
public:
    /// After one step, of what one session heard. `cut_short`: it lost its connection from the
    /// other side, and may have missed the last words.
    bool same(std::vector<heard> real, std::vector<heard> modelled, bool cut_short) {
        sort_events(real);
        sort_events(modelled);
        if (!cut_short)
            return std::equal(
                real.begin(), real.end(), modelled.begin(), modelled.end(),
                [this](const auto& one, const auto& other) { return same(one, other); });
        // The end itself, and before it nothing that the other would not have said.
        if (real.empty() || modelled.empty() || !same(real.back(), modelled.back()))
            return real.empty() && modelled.empty();
        return std::all_of(real.begin(), std::prev(real.end()), [&](const heard& word) {
            return std::any_of(modelled.begin(), std::prev(modelled.end()),
                               [&](const heard& other) { return same(word, other); });
        });
    }

private:
    bool same(const heard& real, const heard& modelled) {
        if (real.index() != modelled.index())
            return false;
        if (const auto up = std::get_if<reports::connected>(&real))
            return sessions_.agree(up->session, std::get<reports::connected>(modelled).session);
        if (const auto event = std::get_if<reports::event>(&real)) {
            const auto& other = std::get<reports::event>(modelled);
            return event->what == other.what && event->path == other.path;
        }
        if (const auto end = std::get_if<reports::end>(&real))
            return end->why == std::get<reports::end>(modelled).why;
        const auto& one = std::get<reports::answer>(real);
        const auto& other = std::get<reports::answer>(modelled);
        return one.id == other.id && same(one.what, other.what);
    }
    bool same(const protocol::reply& real, const protocol::reply& modelled) {
        auto children = real.children;
        auto other_children = modelled.children;
        std::sort(children.begin(), children.end());
        std::sort(other_children.begin(), other_children.end());
        return real.code == modelled.code && real.path == modelled.path &&
               real.data == modelled.data && real.first_step_denied == modelled.first_step_denied &&
               children == other_children && same(real.stat, modelled.stat) &&
               same(real.results, modelled.results);
    }
    bool same(const protocol::node_stat& real, const protocol::node_stat& modelled) {
        return real.children == modelled.children && real.version == modelled.version &&
               (real.czxid == 0 || real.child_version == modelled.child_version) && // else the root
               sessions_.agree(real.ephemeral_owner, modelled.ephemeral_owner) &&
               transactions_.agree(real.czxid, modelled.czxid) &&
               transactions_.agree(real.mzxid, modelled.mzxid);
    }
    bool same(const std::vector<protocol::step_result>& real,
              const std::vector<protocol::step_result>& modelled) {
        return std::equal(real.begin(), real.end(), modelled.begin(), modelled.end(),
                          [this](const auto& one, const auto& other) {
                              return one.code == other.code && one.path == other.path &&
                                     same(one.stat, other.stat);
                          });
    }

    pairing sessions_{pairing::order::any};
    pairing transactions_{pairing::order::kept};
};

} // namespace turnstile::test
