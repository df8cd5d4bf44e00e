// SPDX-License-Identifier: BSL-1.0
#include "children_herd.hpp"

namespace turnstile::bench {

boost::asio::awaitable<strategy_hold> children_herd::wait_in_herd(std::string_view prefix,
                                                                  rule may_hold) {
    const auto own = co_await owner().enqueue(path(), std::string(prefix));
    if (!may_look_)
        co_await looks_.wait();
    for (;;) {
        const auto names = co_await owner().list(path(), strategy_session::watching::yes);
        if (may_hold(names, own))
            co_return held(own);
        co_await owner().event(path());
    }
}

} // namespace turnstile::bench
