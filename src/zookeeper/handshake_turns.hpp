// SPDX-License-Identifier: BSL-1.0
// Has many sessions begin their TLS handshakes one after the other.
#pragma once

#include "zookeeper/session_strand.hpp"

#include <boost/asio/execution_context.hpp>

#include <functional>
#include <list>
#include <mutex>
#include <utility>
#include <vector>

namespace turnstile::zookeeper {

/// The beginnings of the TLS handshakes of an execution context, as a service of it. Each costs the
/// thread half a millisecond. The sessions of a process may all come back at once, so each executor
/// of the context begins one in a turn, and does its other work in between. `client` enters its
/// handshakes. Executors do not wait for each other: a strand of the user's may be busy for long.
class handshake_turns final : public boost::asio::execution_context::service {
public:
    using key_type = handshake_turns;
    static inline boost::asio::execution_context::id id;

    explicit handshake_turns(boost::asio::execution_context& context) : service(context) {}

    /// Calls `begin` on the strand, in its turn. It never calls it inline.
    void enter(const session_strand& strand, std::function<void()> begin);

private:
    using executor = session_strand::inner_executor_type;

    void shutdown() override { waiting_.clear(); }
    /// Posts the next one of the executor, if one waits.
    void post_next(const executor& which);

    std::mutex mutex_;
    std::list<std::pair<session_strand, std::function<void()>>> waiting_;
    std::vector<executor> busy_; // one of theirs is posted, and posts the next
};

} // namespace turnstile::zookeeper
