// SPDX-License-Identifier: BSL-1.0
// The names of those who stand in a line, as docs/internals/protocol/names.md has them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace turnstile::check {

/// What the name of a lock path's child says about its place in line. Parsed here without any code
/// of the product: an error in the product's parser must not blind the checker to what it does.
struct line_name {
    std::int64_t sequence = 0;
    bool shared = false;
    /// Of a whole Turnstile name. Sequences can be compared where it is the same.
    std::optional<std::uint64_t> incarnation{};
    bool downgraded = false; ///< of a writer that became a reader in its place

    /// Nothing where a child of that name stands in no line.
    [[nodiscard]] static std::optional<line_name> parse(std::string_view child);
    bool operator==(const line_name&) const = default;
};

} // namespace turnstile::check
