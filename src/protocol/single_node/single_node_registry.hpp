// SPDX-License-Identifier: BSL-1.0
// The locks of one node that a session uses, by lock path.
#pragma once

#include "protocol/lock_registry.hpp"
#include "protocol/single_node/single_node.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace turnstile::protocol {

/// A lock path is left to the server, which removes an empty container: a session that made the
/// path anew would begin its versions anew, too.
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
