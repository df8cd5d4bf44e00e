// SPDX-License-Identifier: BSL-1.0
#include "herd_single_node.hpp"

namespace turnstile::bench {

boost::asio::awaitable<strategy_hold> herd_single_node::acquire() {
    const auto node = path() + "/lock";
    for (;;) {
        if (co_await owner().try_create(path(), "lock"))
            co_return held("lock");
        if (co_await owner().watch(node, protocol::operation::exists))
            co_await owner().event(node);
    }
}

} // namespace turnstile::bench
