// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/ensemble.hpp"
#include "support/frame_proxy.hpp"

#include <cstddef>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace turnstile::survive {

/// Cuts the connections between sessions and servers for a moment, in one way after the other: of
/// one server that has some or of all, by resetting them, turning clients away or letting nothing
/// pass.
class connection_cuts {
public:
    explicit connection_cuts(test::ensemble& servers);

    /// Where sessions must connect to.
    [[nodiscard]] std::string connect_string() const;

    /// One cut, of two seconds at most; over on return, as is a moment without any.
    void cut();

private:
    [[nodiscard]] std::vector<test::frame_proxy*> doors_in_use() const;

    std::vector<std::unique_ptr<test::frame_proxy>> doors_;
    std::size_t next_ = 0; ///< which way is next, and whether at one server
    std::mt19937_64 engine_{1};
};

} // namespace turnstile::survive
