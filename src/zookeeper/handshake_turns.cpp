// SPDX-License-Identifier: BSL-1.0
#include "zookeeper/handshake_turns.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>

namespace turnstile::zookeeper {

void handshake_turns::enter(const session_strand& strand, std::function<void()> begin) {
    const auto own = strand.get_inner_executor();
    {
        const std::lock_guard guard(mutex_);
        waiting_.emplace_back(strand, std::move(begin));
        if (std::ranges::find(busy_, own) != busy_.end())
            return;
        busy_.push_back(own);
    }
    post_next(own);
}

void handshake_turns::post_next(const executor& which) {
    std::unique_lock guard(mutex_);
    const auto next = std::ranges::find_if(
        waiting_, [&](const auto& each) { return each.first.get_inner_executor() == which; });
    if (next == waiting_.end()) {
        std::erase(busy_, which);
        return;
    }
    auto [strand, begin] = std::move(*next);
    waiting_.erase(next);
    guard.unlock();
    try {
        boost::asio::post(strand, [this, which, begin = std::move(begin)] {
            post_next(which);
            begin();
        });
    } catch (...) { // no memory: that attempt reaches its limit, and the next one goes on here
        guard.lock();
        std::erase(busy_, which);
    }
}

} // namespace turnstile::zookeeper
