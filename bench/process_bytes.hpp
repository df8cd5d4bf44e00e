// SPDX-License-Identifier: BSL-1.0
// What a process sent and received over its connections to a server, as the kernel counts it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <iosfwd>
#include <optional>

namespace turnstile::bench {

struct process_bytes {
    double sent = 0;
    double received = 0;
};

/// Of the connections that are open, by iproute2's `ss`; nothing if it cannot tell.
std::optional<process_bytes> read_process_bytes(pid_t process, std::uint16_t server_port);

/// The same from the output of `ss -tinOHp`.
std::optional<process_bytes> sum_process_bytes(std::istream& in, pid_t process);

} // namespace turnstile::bench
