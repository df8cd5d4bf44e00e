// SPDX-License-Identifier: BSL-1.0
// A lock path that another program makes.
#pragma once

#include "support/foreign_client.hpp"

#include "support/pch.hpp"

#include <string>

namespace turnstile::test {

/// Directly below /locks, and not there yet.
inline void make_lock_path(foreign_client& other, const std::string& path) {
    other.create("/locks"); // by whichever test comes first
    REQUIRE(other.create(path) == 0);
}

/// One where everybody has these of ZooKeeper's rights.
inline void make_lock_path(foreign_client& other, const std::string& path, int rights) {
    make_lock_path(other, path);
    REQUIRE(other.set_acl(path, {{"world", "anyone", rights}}) == 0);
}

} // namespace turnstile::test
