// SPDX-License-Identifier: BSL-1.0
// One node is the lock: all who wait watch it, and all try to make it when it is gone.
#pragma once

#include "strategy_lock.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>

namespace turnstile::bench {

/// No order: whose create comes first holds the lock.
class herd_single_node : public strategy_lock {
public:
    static constexpr std::string_view name = "herd-single-node";
    static constexpr bool herd = true;
    static std::size_t tickets(std::size_t) { return 1; } // the holder's

    using strategy_lock::strategy_lock;
    boost::asio::awaitable<strategy_hold> acquire();
};

} // namespace turnstile::bench
