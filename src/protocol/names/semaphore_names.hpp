// SPDX-License-Identifier: BSL-1.0
// The nodes below the lock path of a semaphore: their names, and the text of the limit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace turnstile::protocol {

/// The three children of the path. They are made in one transaction, so they bear one czxid.
inline constexpr std::string_view limit_name = "limit";
inline constexpr std::string_view queue_name = "queue";
inline constexpr std::string_view permits_name = "leases";

/// Whether a child of a lock path belongs to a semaphore.
constexpr bool is_of_semaphore(std::string_view child) {
    return child == limit_name || child == queue_name || child == permits_name;
}

/// The data of the node `limit`.
std::string limit_text(std::uint32_t limit);
/// The limit in the data of that node. Nothing if another program wrote the data.
std::optional<std::uint32_t> parse_limit(std::string_view data);

/// A child of `leases`: `try-<inc>-<session>-<attempt>-lease-<seq>`, or the same with `take-`. All
/// numbers but the last are in hex. No two attempts of a session have the same number, and no two
/// sessions the same id, so the name alone says whose a permit is, and from which transaction.
struct permit_name {
    bool tried = false;           // `try-`: taken without a ticket
    std::int64_t incarnation = 0; // the czxid of the three nodes
    std::int64_t session = 0;
    std::uint64_t attempt = 0; // the number of the transaction that made it
    std::int32_t sequence = 0;

    std::string prefix() const; // without the sequence, as a create takes it
    /// Nothing if the name is of another form.
    static std::optional<permit_name> parse(std::string_view name);
    bool operator==(const permit_name&) const = default;
};

} // namespace turnstile::protocol
