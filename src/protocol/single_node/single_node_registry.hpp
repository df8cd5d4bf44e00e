// SPDX-License-Identifier: BSL-1.0
// The locks of one node that a session uses, by lock path.
#pragma once

#include "protocol/lock_registry.hpp"
#include "protocol/single_node/single_node.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace turnstile::protocol {

/// The `lock_kind` of single_node_mutex. lock_kinds owns it. It deletes no lock path: the server
/// removes an empty container by itself. In a path that was made anew, versions begin anew, and
/// they tell one holder from the next.
class single_node_registry final : public lock_registry<single_node> {
public:
    explicit single_node_registry(session_context& shared) : lock_registry(shared) {}

    bool occupies(const acquire_request& what) const override { return contains(what.path); }
    void acquire(ticket_id id, const acquire_request& what, std::optional<instant> end) override {
        at(what.path, owners_).enter(id, what, end);
    }
    std::size_t sharers_of(const std::string&, const std::string&) const override { return 0; }
};

} // namespace turnstile::protocol
