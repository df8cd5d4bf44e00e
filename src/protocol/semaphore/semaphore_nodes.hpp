// SPDX-License-Identifier: BSL-1.0
// The nodes of a semaphore, seen from the lock path: what a listing shows, and how all are made.
#pragma once

#include "protocol/names/semaphore_names.hpp"
#include "protocol/wire/failure.hpp"
#include "protocol/wire/message.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace turnstile::protocol {

/// What stands below the lock path.
struct semaphore_nodes {
    std::set<std::string> parts{}; // those of the three that are there
    bool other_kind = false;       // a lock of another kind
    bool others = false;           // anything else

    static semaphore_nodes of(const std::vector<std::string>& children);

    bool has_limit() const { return parts.contains(std::string(limit_name)); }
    /// Why a semaphore may not be made here, where it has no limit.
    failure obstacle() const;
};

/// One transaction that makes all three, on a lock path of this version: a session that makes a
/// node below the path sets the path first. `owned`: the ACL is of this session's identity alone. A
/// check of what was made needs READ there, and fails where the servers do not know the identity.
std::vector<transaction_step> steps_to_make(const std::string& path, std::int32_t version,
                                            std::uint32_t limit, bool owned);

/// The first step that was refused.
std::size_t failed_step(const reply& answer);

/// Why a transaction that takes permits was refused: it checks the limit, sets a node, sets another
/// or deletes the ticket, and makes the permits. None: the limit is not the one that was read.
failure refusal_of_permits(const reply& answer, bool with_ticket);

/// Which right was missing to make the nodes.
failure denial_of_make(const reply& answer);

} // namespace turnstile::protocol
