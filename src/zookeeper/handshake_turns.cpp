// SPDX-License-Identifier: BSL-1.0
#include "zookeeper/handshake_turns.hpp"

#include <boost/asio/post.hpp>

namespace turnstile::zookeeper {

void handshake_turns::enter(const session_strand& strand, std::function<void()> begin) {
    {
        const std::lock_guard guard(mutex_);
        waiting_.emplace_back(strand, std::move(begin));
        if (std::exchange(is_posted_, true))
            return;
    }
    post_next();
}

void handshake_turns::post_next() {
    std::unique_lock guard(mutex_);
    is_posted_ = !waiting_.empty();
    if (!is_posted_)
        return;
    auto [strand, begin] = std::move(waiting_.front());
    waiting_.pop_front();
    guard.unlock();
    try {
        boost::asio::post(strand, [this, begin = std::move(begin)] {
            post_next();
            begin();
        });
    } catch (...) { // no memory: that attempt reaches its limit, and the next one goes on here
        guard.lock();
        is_posted_ = false;
    }
}

} // namespace turnstile::zookeeper
