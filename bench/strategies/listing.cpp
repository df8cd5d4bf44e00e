// SPDX-License-Identifier: BSL-1.0
#include "listing.hpp"

#include "line_order.hpp"

namespace turnstile::bench {

boost::asio::awaitable<strategy_hold> listing::acquire() {
    const auto own = co_await owner().enqueue(path(), "lock-");
    for (;;) {
        const auto names = co_await owner().list(path(), strategy_session::watching::no);
        const auto last = before(names, own);
        if (last.empty())
            co_return held(own);
        // Read with a watch, as Curator does: it leaves no watch on a node that is gone.
        const auto node = path() + '/' + last;
        if (co_await owner().watch(node, protocol::operation::get))
            co_await owner().event(node);
    }
}

} // namespace turnstile::bench
