// SPDX-License-Identifier: BSL-1.0
// Who waits for an event of which node, on the connection of the moment.
#pragma once

#include "protocol/names/ticket_id.hpp"
#include "protocol/wire/message.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace turnstile::protocol {

/// What a watch hears of: a node's data (or that a missing node appears), or its children. The
/// server keeps both apart, and notifies both of a deletion.
enum class watch_kind { data, children };

/// That which a request of this kind leaves.
constexpr watch_kind kind_of(operation op) {
    return op == operation::get_children ? watch_kind::children : watch_kind::data;
}

/// A watch fires once and is gone; all watches are gone with their connection. Who watches, a
/// ticket or an inquiry, is entered when the reply to its request arrived, so an event counts only
/// for those that were answered before. A watch that nobody wants any more stays at the server,
/// and so in the table, until its event comes or it is taken off.
class watch_table {
public:
    using table = std::unordered_map<std::string, std::vector<watcher_id>>;

    /// The server has a watch, whoever asked for it.
    void arm(const std::string& path, watch_kind what) {
        unwanted_ += of(what).try_emplace(path).second ? 1U : 0U;
    }

    void add(const std::string& path, watcher_id who, watch_kind what = watch_kind::data) {
        const auto [entry, is_new] = of(what).try_emplace(path);
        unwanted_ -= !is_new && entry->second.empty() ? 1U : 0U;
        entry->second.push_back(who);
    }

    void remove(const std::string& path, watcher_id who, watch_kind what = watch_kind::data) {
        const auto entry = of(what).find(path);
        if (entry != of(what).end() && std::erase(entry->second, who) > 0 && entry->second.empty())
            ++unwanted_;
    }

    /// On a node that this session deletes: its event says so, or the node is gone before.
    void forget(const std::string& path, watcher_id who, watch_kind what = watch_kind::data) {
        const auto entry = of(what).find(path);
        if (entry != of(what).end() && std::erase(entry->second, who) > 0 && entry->second.empty())
            of(what).erase(entry);
    }

    /// How many nobody wants.
    std::size_t unwanted() const { return unwanted_; }
    /// Takes those out for which `may_go(path, kind)`.
    template <class Predicate>
    std::vector<std::pair<std::string, watch_kind>> take_unwanted(Predicate may_go) {
        std::vector<std::pair<std::string, watch_kind>> result;
        for (const auto kind : {watch_kind::data, watch_kind::children})
            std::erase_if(of(kind), [&](const auto& entry) {
                const bool goes = entry.second.empty() && may_go(entry.first, kind);
                if (goes)
                    result.emplace_back(entry.first, kind);
                return goes;
            });
        unwanted_ -= result.size();
        return result;
    }

    /// Takes out those who wait for this event of `path`.
    std::vector<watcher_id> take(const std::string& path, watch_event event) {
        if (event == watch_event::children)
            return take_from(watch_kind::children, path);
        auto taken = take_from(watch_kind::data, path);
        if (event == watch_event::deleted) {
            const auto more = take_from(watch_kind::children, path);
            taken.insert(taken.end(), more.begin(), more.end());
        }
        return taken;
    }

    void clear() {
        for (auto& each : watchers_)
            each.clear();
        unwanted_ = 0;
    }
    std::size_t size() const { return watchers_[0].size() + watchers_[1].size(); }

private:
    table& of(watch_kind what) { return watchers_[static_cast<std::size_t>(what)]; }

    std::vector<watcher_id> take_from(watch_kind what, const std::string& path) {
        const auto entry = of(what).find(path);
        if (entry == of(what).end())
            return {};
        auto taken = std::move(entry->second);
        of(what).erase(entry);
        unwanted_ -= taken.empty() ? 1U : 0U;
        return taken;
    }

    std::array<table, 2> watchers_;
    std::size_t unwanted_ = 0;
};

} // namespace turnstile::protocol
