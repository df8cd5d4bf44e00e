// SPDX-License-Identifier: BSL-1.0
// The names of nodes in a line, as docs/internals/protocol/names.md has them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace turnstile::check {

/// The place in line of a lock path's child, by its name. It is parsed here without any code of the
/// library: an error in the library's parser must not hide its effects from the checker.
struct line_name {
    std::int64_t sequence = 0;
    bool shared = false;
    /// Only a complete Turnstile name has one. Sequences of one incarnation can be compared.
    std::optional<std::uint64_t> incarnation{};
    bool downgraded = false; ///< a writer became a reader in its place

    /// Nothing if a child of that name stands in no line.
    [[nodiscard]] static std::optional<line_name> parse(std::string_view child);
    bool operator==(const line_name&) const = default;
};

} // namespace turnstile::check
