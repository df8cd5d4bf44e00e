// SPDX-License-Identifier: BSL-1.0
// Names of tickets: ours, and those of other programs in the same line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace turnstile::protocol {

enum class ticket_kind : std::uint8_t { exclusive, shared };

/// Which ends of names show the tickets' kinds. A path uses one of the two: tickets of one naming
/// do not see those of the other.
enum class ticket_naming : std::uint8_t {
    lock,    // `lock-`, as Curator's mutex has it and most other programs
    curator, // `__WRIT__` and `__READ__`, as Curator's read-write locks have it
};

/// turn-<inc>-lock-<seq>, turn-<inc>-read-lock-<seq>, turn-<inc>-down-read-lock-<seq>; or, beside
/// Curator's read-write locks, turn-<inc>-__WRIT__<seq>, turn-<inc>-__READ__<seq>. "open-" instead
/// of "turn-" if no identity protects the ticket's data, so that no change of it is taken for a
/// release.
struct ticket_name {
    std::int64_t incarnation = 0; // czxid of the lock path
    std::int32_t sequence = 0;
    bool is_protected = true; // "turn-": only its owner can set it
    ticket_kind kind = ticket_kind::exclusive;
    bool downgraded = false; // a reader in the place where it held the lock to write
    ticket_naming naming = ticket_naming::lock;

    /// Whether its owner may become a reader in its place, and by what name.
    bool may_be_downgraded() const {
        return kind == ticket_kind::exclusive && naming == ticket_naming::lock;
    }
    ticket_name as_downgraded() const;
    /// Whether CHANGED at its release says that all before it are gone: only an exclusive owner
    /// knows that, and only if no other program can set the node.
    bool hands_over() const { return is_protected && kind == ticket_kind::exclusive; }
    std::string prefix() const; // without the sequence, as a create takes it
    std::string str() const;
    std::string prefix_under(std::string_view lock_path) const;
    /// The ticket's own path.
    std::string under(std::string_view lock_path) const;

    static std::optional<ticket_name> parse(std::string_view name);
    auto operator<=>(const ticket_name&) const = default;
};

/// Only readers hold a lock together.
inline bool exclude_each_other(const ticket_name& one, const ticket_name& other) {
    return one.kind == ticket_kind::exclusive || other.kind == ticket_kind::exclusive;
}

/// What the server appended to the path of a sequential node; below 0 if its counter has overflown.
std::int32_t appended_sequence(std::string_view path);

/// The one child that the lock path of a single_node_mutex may have.
inline constexpr std::string_view holder_name = "holder";

/// A child of a lock path that stands in line, of any program.
struct contender {
    std::int32_t sequence = 0;
    ticket_kind kind = ticket_kind::exclusive;
    bool ours = false; // Turnstile made it
    ticket_naming naming = ticket_naming::lock;
};

/// Tells whether a child stands in line: it ends in `lock-`, `__lock__` or `__WRIT__` (`__rlock__`,
/// `__READ__`: a reader) plus ten digits, or is `x-<session>-<ten digits>` (ZooKeeper's Java and C
/// recipes).
std::optional<contender> parse_contender(std::string_view child);

/// Sequences from here on are refused: the server's counter sticks at 2^31-1 (ZOOKEEPER-3249).
inline constexpr std::int32_t sequence_limit = 2147483647 - (1 << 20);

/// Past this an empty lock path is deleted, so that its counter starts again.
inline constexpr std::int32_t sequence_high = 1 << 30;

} // namespace turnstile::protocol
