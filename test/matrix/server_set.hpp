// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/certificates.hpp"
#include "support/pch.hpp"

namespace turnstile::matrix {

/// The servers of the whole run, as all cells see them at the same time.
struct server_set {
    std::vector<std::uint16_t> ports;
    std::size_t leader = 0;
    /// Null, or what the unlucky session's fronts show.
    const test::certificates* shown = nullptr;
    int slower = 1; ///< what is to take its time takes so many times as long

    [[nodiscard]] std::size_t size() const { return ports.size(); }
    [[nodiscard]] std::string address(std::size_t server) const {
        return "127.0.0.1:" + std::to_string(ports.at(server));
    }
};

} // namespace turnstile::matrix
