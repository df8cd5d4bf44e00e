// SPDX-License-Identifier: BSL-1.0
// What the kernel counted on connections of this process.
#pragma once

#include <cstdint>
#include <optional>
#include <set>

namespace turnstile::bench {

class socket_bytes {
public:
    struct counts {
        std::uint64_t received = 0;
        std::uint64_t sent = 0; // and acknowledged

        counts& operator+=(const counts& more);
        counts operator-(const counts& less) const;
    };

    /// The descriptors of this process that are TCP connections now.
    static std::set<int> connections();

    /// Those that are open now, without `others`.
    void take_all_but(const std::set<int>& others);
    /// Since each was opened; nothing if one of them is gone.
    std::optional<counts> now() const;

private:
    std::set<int> ours_;
};

} // namespace turnstile::bench
