// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace turnstile::test {

/// `count` distinct loopback TCP ports nobody uses now; no port is handed out twice by a process.
///
/// They lie below the range the kernel takes local ports of outgoing connections from. Otherwise a
/// client that keeps trying a dead server's port could be given that very port as its own, and
/// either connect to itself or prevent the server's restart.
[[nodiscard]] std::vector<std::uint16_t> free_ports(std::size_t count);

[[nodiscard]] std::uint16_t free_port();

} // namespace turnstile::test
