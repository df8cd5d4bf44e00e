// SPDX-License-Identifier: BSL-1.0
// Names of tickets: Turnstile's, and those of other programs in the same queue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace turnstile::protocol {

enum class ticket_kind : std::uint8_t { exclusive, shared };

/// How the end of a ticket's name shows its kind. A lock path uses one of the two: tickets of one
/// naming do not see those of the other.
enum class ticket_naming : std::uint8_t {
    lock,    // `lock-`, as Curator's mutex has it and most other programs
    curator, // `__WRIT__` and `__READ__`, as Curator's read-write locks have it
};

/// The name of one of Turnstile's tickets:
/// - turn-<inc>-lock-<seq>, turn-<inc>-read-lock-<seq>, turn-<inc>-down-read-lock-<seq>
/// - beside Curator's read-write locks: turn-<inc>-__WRIT__<seq>, turn-<inc>-__READ__<seq>
///
/// It begins with "open-" instead of "turn-" if no identity protects the ticket's data. Then no
/// change of the data is taken for a release.
struct ticket_name {
    std::int64_t incarnation = 0; // czxid of the lock path
    std::int32_t sequence = 0;
    bool is_protected = true; // "turn-": only its owner can set it
    ticket_kind kind = ticket_kind::exclusive;
    bool downgraded = false; // a reader in the place where it held the lock to write
    ticket_naming naming = ticket_naming::lock;

    /// Whether its owner may become a reader in its place.
    bool may_be_downgraded() const {
        return kind == ticket_kind::exclusive && naming == ticket_naming::lock;
    }
    /// The name that the ticket then has.
    ticket_name as_downgraded() const;
    /// Whether CHANGED at its release says that all tickets before it are gone. Only an exclusive
    /// owner knows that, and only if no other program can set the node.
    bool hands_over() const { return is_protected && kind == ticket_kind::exclusive; }
    std::string prefix() const; // without the sequence, as a create takes it
    std::string str() const;
    /// The path of the prefix, and that of the ticket.
    std::string prefix_under(std::string_view lock_path) const;
    std::string under(std::string_view lock_path) const;

    /// Nothing if the name is not exactly of one of these forms.
    static std::optional<ticket_name> parse(std::string_view name);
    auto operator<=>(const ticket_name&) const = default;
};

/// Only readers hold a lock together.
inline bool exclude_each_other(const ticket_name& one, const ticket_name& other) {
    return one.kind == ticket_kind::exclusive || other.kind == ticket_kind::exclusive;
}

/// The number that the server appended to the path of a sequential node. It is below 0 if the
/// server's counter has overflown, or if there is no number.
std::int32_t appended_sequence(std::string_view path);

/// The one child that the lock path of a single_node_mutex may have.
inline constexpr std::string_view holder_name = "holder";

/// A ticket of any program, as far as its name shows it.
struct contender {
    std::int32_t sequence = 0;
    ticket_kind kind = ticket_kind::exclusive;
    bool ours = false; // a Turnstile session made it
    ticket_naming naming = ticket_naming::lock;
};

/// Reads the name of a child of a lock path; nothing if it is no ticket. A ticket's name ends in
/// `lock-`, `__lock__` or `__WRIT__` plus ten digits, and that of a reader in `__rlock__` or
/// `__READ__` plus ten digits. ZooKeeper's Java and C recipes use `x-<session>-<ten digits>`.
std::optional<contender> parse_contender(std::string_view child);

/// Sequences from here on are refused: the server's counter sticks at 2^31-1 (ZOOKEEPER-3249).
inline constexpr std::int32_t sequence_limit = 2147483647 - (1 << 20);

/// Past this an empty lock path is deleted, so that its counter starts again.
inline constexpr std::int32_t sequence_high = 1 << 30;

} // namespace turnstile::protocol
