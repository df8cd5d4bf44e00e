// SPDX-License-Identifier: BSL-1.0
#include "protocol/session/lock_kinds.hpp"

#include <algorithm>

namespace turnstile::protocol {

lock_kind& lock_kinds::of(const acquire_request& what) const {
    if (what.leases > 0)
        return *all_[2];
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
    if (own.contains(what.path))
        return failure::none;
    const bool nested =
        std::ranges::any_of(all_, [&](auto kind) { return kind->is_nested(what.path); });
    return nested ? failure::nested_path : failure::none;
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

bool lock_kinds::join(ticket_batch& batch, ticket_id id, const acquire_request& what,
                      std::optional<instant> end) {
    return &of(what) == &queues_ && batch.join(id, what, end);
}

void lock_kinds::on_missing(const std::string& node) {
    if (std::ranges::none_of(all_, [&](auto kind) { return kind->on_missing(node); }))
        missed_events_.on_missing(node);
}

} // namespace turnstile::protocol
