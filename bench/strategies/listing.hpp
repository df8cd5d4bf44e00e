// SPDX-License-Identifier: BSL-1.0
// Each watches the one before it, and lists the whole line whenever it looks.
#pragma once

#include "strategy_lock.hpp"

#include <boost/asio/awaitable.hpp>

namespace turnstile::bench {

/// Curator's mutex waits so, and Kazoo's lock.
class listing : public strategy_lock {
public:
    static constexpr std::string_view name = "listing";

    using strategy_lock::strategy_lock;
    boost::asio::awaitable<strategy_hold> acquire();
};

} // namespace turnstile::bench
