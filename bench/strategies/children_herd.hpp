// SPDX-License-Identifier: BSL-1.0
// All who wait watch the children of the lock's path.
#pragma once

#include "strategy_lock.hpp"
#include "wait_list.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace turnstile::bench {

/// Each joins the line with a node, and lists all names with a watch. Whoever may not hold the lock
/// waits for the event, which any change of the line brings to all, and lists again.
class children_herd : public strategy_lock {
public:
    static constexpr bool herd = true;

    using strategy_lock::strategy_lock;

    void hold_looks() { may_look_ = false; }
    void let_look() {
        may_look_ = true;
        looks_.wake();
    }

protected:
    using rule = bool (*)(const std::vector<std::string>& names, std::string_view own);
    boost::asio::awaitable<strategy_hold> wait_in_herd(std::string_view prefix, rule may_hold);

private:
    bool may_look_ = true;
    wait_list looks_;
};

} // namespace turnstile::bench
