// SPDX-License-Identifier: BSL-1.0
// The process that something was made in. A fork's child shares sockets and reactors with its
// parent, and may touch neither.
#pragma once

#include <cstdint>

namespace turnstile::zookeeper {

class fork_guard {
public:
    fork_guard() noexcept : process_(this_process()) {}

    bool is_here() const noexcept { return process_ == this_process(); }

private:
    static std::uint64_t this_process() noexcept;

    std::uint64_t process_;
};

} // namespace turnstile::zookeeper
