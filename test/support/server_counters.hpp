// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace turnstile::test {

/// One reading of a server's `mntr` statistics, such as zk_packets_received or
/// zk_max_node_deleted_watch_count. Values that are no numbers are left out.
struct server_counters {
    std::map<std::string, double> values;

    [[nodiscard]] static server_counters read(std::uint16_t port);
    /// Of the answer to `mntr`; no values if the server did not answer with counters.
    [[nodiscard]] static server_counters parse(const std::string& answer);

    /// Throws std::out_of_range with the name in it if there is no such counter.
    [[nodiscard]] double at(const std::string& name) const;
};

} // namespace turnstile::test
