// SPDX-License-Identifier: BSL-1.0
// A lock that is held by its node.
#pragma once

#include "strategy_session.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>
#include <utility>

namespace turnstile::bench {

/// The part of a held_lock that the scenarios use. A release is a plain delete. One that is dropped
/// goes on standing until its session ends.
class strategy_hold {
public:
    strategy_hold(strategy_session& owner, std::string node)
        : owner_(&owner), node_(std::move(node)) {}

    void release(strategy_session::removed_handler done) {
        owner_->remove(std::move(node_), std::move(done));
    }
    boost::asio::awaitable<void> release() { return owner_->remove(std::move(node_)); }

private:
    strategy_session* owner_;
    std::string node_;
};

} // namespace turnstile::bench
