// SPDX-License-Identifier: BSL-1.0
#include "comparison.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>
#include <variant>

namespace turnstile::test {

bool pairing::agree(std::int64_t real, std::int64_t modelled) {
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

namespace {

// One transaction fires its events in no order: a session's nodes are deleted as a hash set has
// them.
void sort_events(std::vector<heard>& words) {
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

} // namespace

bool comparison::same(std::vector<heard> real, std::vector<heard> modelled, bool cut_short) {
    sort_events(real);
    sort_events(modelled);
    if (!cut_short)
        return std::equal(real.begin(), real.end(), modelled.begin(), modelled.end(),
                          [this](const auto& one, const auto& other) { return same(one, other); });
    // The end itself, and before it nothing that the other would not have said.
    if (real.empty() || modelled.empty() || !same(real.back(), modelled.back()))
        return real.empty() && modelled.empty();
    return std::all_of(real.begin(), std::prev(real.end()), [&](const heard& word) {
        return std::any_of(modelled.begin(), std::prev(modelled.end()),
                           [&](const heard& other) { return same(word, other); });
    });
}

bool comparison::same(const heard& real, const heard& modelled) {
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

bool comparison::same(const std::vector<protocol::step_result>& real,
                      const std::vector<protocol::step_result>& modelled) {
    return std::equal(real.begin(), real.end(), modelled.begin(), modelled.end(),
                      [this](const auto& one, const auto& other) {
                          return one.code == other.code && one.path == other.path &&
                                 same(one.stat, other.stat);
                      });
}

bool comparison::same(const protocol::node_stat& real, const protocol::node_stat& modelled) {
    return real.children == modelled.children && real.version == modelled.version &&
           (real.czxid == 0 || real.child_version == modelled.child_version) && // else the root
           sessions_.agree(real.ephemeral_owner, modelled.ephemeral_owner) &&
           transactions_.agree(real.czxid, modelled.czxid) &&
           transactions_.agree(real.mzxid, modelled.mzxid);
}

bool comparison::same(const protocol::reply& real, const protocol::reply& modelled) {
    auto children = real.children;
    auto other_children = modelled.children;
    std::sort(children.begin(), children.end());
    std::sort(other_children.begin(), other_children.end());
    return real.code == modelled.code && real.path == modelled.path && real.data == modelled.data &&
           real.first_step_denied == modelled.first_step_denied && children == other_children &&
           same(real.stat, modelled.stat) && same(real.results, modelled.results);
}

} // namespace turnstile::test
