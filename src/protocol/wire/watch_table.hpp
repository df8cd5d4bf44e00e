// SPDX-License-Identifier: BSL-1.0
// The watches that the server keeps for this connection, and who waits for each.
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

/// What a watch reports: a node's data (or that a missing node appears), or its children. The
/// server keeps both apart, and notifies both of a deletion.
enum class watch_kind { data, children };

/// The watch that a request of this kind leaves.
constexpr watch_kind kind_of(operation op) {
    return op == operation::get_children ? watch_kind::children : watch_kind::data;
}

/// A watch fires once and is gone. All watches are gone with their connection. The watchers are
/// tickets, questions, and lock_watcher for all other locks. One is entered when its request was
/// answered, so an event counts only for requests that were answered before it. A watch that has no
/// watcher any more is unwanted. It stays at the server, and so in the table, until its event comes
/// or it is taken off. session_context has the one table of a session.
class watch_table {
public:
    using table = std::unordered_map<std::string, std::vector<watcher_id>>;

    /// The server has set a watch. It has no watcher yet.
    void arm(const std::string& path, watch_kind kind) {
        unwanted_ += of(kind).try_emplace(path).second ? 1U : 0U;
    }

    /// The request of this watcher was answered.
    void add(const std::string& path, watcher_id who, watch_kind kind = watch_kind::data) {
        const auto [entry, is_new] = of(kind).try_emplace(path);
        unwanted_ -= !is_new && entry->second.empty() ? 1U : 0U;
        entry->second.push_back(who);
    }

    /// The watcher waits no more. The watch stays.
    void remove(const std::string& path, watcher_id who, watch_kind kind = watch_kind::data) {
        const auto entry = of(kind).find(path);
        if (entry != of(kind).end() && std::erase(entry->second, who) > 0 && entry->second.empty())
            ++unwanted_;
    }

    /// As remove(), for a node that this session deletes: its event ends the watch soon, so the
    /// watch does not count as unwanted.
    void forget(const std::string& path, watcher_id who, watch_kind kind = watch_kind::data) {
        const auto entry = of(kind).find(path);
        if (entry != of(kind).end() && std::erase(entry->second, who) > 0 && entry->second.empty())
            of(kind).erase(entry);
    }

    /// How many watches have no watcher.
    std::size_t unwanted() const { return unwanted_; }
    /// Takes out the unwanted watches for which `may_go(path, kind)` holds.
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

    /// Takes out the watchers that wait for this event of `path`.
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
    table& of(watch_kind kind) { return watchers_[static_cast<std::size_t>(kind)]; }

    /// Removes one watch. Returns its watchers.
    std::vector<watcher_id> take_from(watch_kind kind, const std::string& path) {
        const auto entry = of(kind).find(path);
        if (entry == of(kind).end())
            return {};
        auto taken = std::move(entry->second);
        of(kind).erase(entry);
        unwanted_ -= taken.empty() ? 1U : 0U;
        return taken;
    }

    std::array<table, 2> watchers_; // of each watch, by its kind and its path
    std::size_t unwanted_ = 0;      // watches without a watcher
};

} // namespace turnstile::protocol
