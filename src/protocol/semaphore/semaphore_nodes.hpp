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
    /// Why a semaphore may not be made here.
    failure obstacle() const;
};

/// One transaction that makes all three in place of those that are left, on a lock path of this
/// version. It fails where somebody stands or holds, and where the limit that is left has another
/// version than `limit_version` (-1: any). `owned`: the ACL is of this session's identity alone. A
/// check of what was made needs READ there, and fails where the servers do not know the identity.
std::vector<transaction_step> steps_to_make(const std::string& path, std::int32_t version,
                                            std::uint32_t limit, const std::set<std::string>& left,
                                            std::int32_t limit_version, bool owned);

/// Which right was missing for that; `left`: how many parts there were.
failure denial_of_make(const reply& answer, std::size_t left);

} // namespace turnstile::protocol
