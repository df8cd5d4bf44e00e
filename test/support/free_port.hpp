// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace turnstile::test {

/// So many TCP ports of the loopback that nobody uses now. A process gets no port twice.
///
/// The ports lie below those that the kernel gives to outgoing connections. Otherwise the kernel
/// could give the port of a dead server to a client that tries to reach it. The client would then
/// connect to itself, or keep the server from starting again.
[[nodiscard]] std::vector<std::uint16_t> free_ports(std::size_t count);

[[nodiscard]] std::uint16_t free_port();

} // namespace turnstile::test
