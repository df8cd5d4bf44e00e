// SPDX-License-Identifier: BSL-1.0
#include "protocol/session/lock_kinds.hpp"

#include <algorithm>

namespace turnstile::protocol {

lock_kind& lock_kinds::of(const acquire_request& what) const {
    if (what.permits > 0)
        return *all_[2]; // semaphores_
    return *all_[what.single_node ? 1 : 0];
}

lock_kind* lock_kinds::find(ticket_id id) const {
    const auto found = std::ranges::find_if(all_, [&](auto kind) { return kind->knows(id); });
    return found == all_.end() ? nullptr : *found;
}

failure lock_kinds::misplaced(const acquire_request& what) const {
    const auto& own = of(what);
    for (const auto kind : all_)
        if (kind != &own && kind->occupies(what))
            return failure::wrong_kind;
    const bool nested = !own.contains(what.path) && std::ranges::any_of(all_, [&](auto kind) {
        return kind->is_nested(what.path);
    });
    return nested ? failure::nested_path : failure::none;
}

std::vector<std::string> lock_kinds::nodes_of(ticket_id handle) const {
    for (const auto kind : all_)
        if (auto nodes = kind->nodes_of(handle); !nodes.empty())
            return nodes;
    return {};
}

std::vector<transaction_step> lock_kinds::proof_of(ticket_id caller) const {
    const auto kind = find(caller);
    return kind ? kind->proof_of(caller) : std::vector<transaction_step>{};
}

std::size_t lock_kinds::sharers_of(const std::string& path, const std::string& node) const {
    for (const auto kind : all_)
        if (const auto count = kind->sharers_of(path, node); count > 0)
            return count;
    return 0;
}

bool lock_kinds::empty() const {
    return std::ranges::all_of(all_, [](auto kind) { return kind->empty(); });
}

void lock_kinds::lose(ticket_id id) {
    for (const auto kind : all_)
        if (kind->lose(id))
            return;
}

void lock_kinds::on_missing(const std::string& node) {
    for (const auto kind : all_)
        if (kind->on_missing(node))
            return;
}

} // namespace turnstile::protocol
