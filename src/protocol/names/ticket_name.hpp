// Names of tickets: ours, and those of other programs in the same line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace turnstile::protocol {

enum class ticket_kind { exclusive, shared };

/// turn-<inc>-lock-<seq>, turn-<inc>-read-lock-<seq>, turn-<inc>-down-read-lock-<seq>; "open-"
/// instead of "turn-" where no identity protects the ticket's data, so that nobody takes a change
/// of it for a release.
struct ticket_name {
    bool guarded = true;          // "turn-": only its owner can set it
    std::int64_t incarnation = 0; // czxid of the lock path
    ticket_kind kind = ticket_kind::exclusive;
    std::int32_t sequence = 0;
    bool downgraded = false; // a reader in the place where it held the lock to write

    /// The name that it has once it is downgraded.
    ticket_name as_downgraded() const;
    std::string prefix() const; // without the sequence, as a create takes it
    std::string str() const;
    std::size_t length() const; // of str()
    std::string prefix_under(std::string_view lock_path) const;
    std::string under(std::string_view lock_path) const; // the ticket's own path

    static std::optional<ticket_name> parse(std::string_view name);
    bool operator==(const ticket_name&) const = default;
};

/// The one child that the lock path of a single_node_mutex may have.
inline constexpr std::string_view holder_name = "holder";

/// A child of a lock path that stands in line, whoever made it.
struct contender {
    std::int32_t sequence = 0;
    ticket_kind kind = ticket_kind::exclusive;
    bool ours = false; // Turnstile's own naming
};

/// Tells whether a child stands in line: it ends in `lock-` or `__lock__` (`__rlock__`: a reader)
/// plus ten digits, or is `x-<session>-<ten digits>` (ZooKeeper's Java and C recipes).
std::optional<contender> parse_contender(std::string_view child);

/// Sequences from here on are refused: the server's counter sticks at 2^31-1 (ZOOKEEPER-3249).
inline constexpr std::int32_t sequence_limit = 2147483647 - (1 << 20);

/// Past this an empty lock path is deleted, so that its counter starts again.
inline constexpr std::int32_t sequence_high = 1 << 30;

} // namespace turnstile::protocol
