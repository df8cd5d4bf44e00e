// SPDX-License-Identifier: BSL-1.0
// What a session calls a ticket, and a request of its own, inside the process.
#pragma once

#include <cstdint>

namespace turnstile::protocol {

using ticket_id = std::uint64_t;

/// A request of its own, which no ticket sent. One number never stands for both a ticket and an
/// inquiry.
using inquiry_id = std::uint64_t;

/// A ticket or an inquiry: what can wait for an event.
using watcher_id = std::uint64_t;

/// Locks without tickets all watch by this id, which is above those of tickets and inquiries. The
/// node shows which lock is meant.
inline constexpr watcher_id lock_watcher = watcher_id{1} << 63;

} // namespace turnstile::protocol
