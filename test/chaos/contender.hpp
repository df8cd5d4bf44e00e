// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "lots.hpp"
#include "worker_setting.hpp"

#include "support/fenced_store.hpp"

#include <turnstile.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace turnstile::chaos {

/// One user of the locks. In each round it acquires a lock (or several), holds it, writes to the
/// store now and then, and releases it. It writes down what it was told, in the order of telling.
/// A worker has many of them on one thread; several share a session.
class contender {
public:
    contender(worker_setting& setting, session& owner, std::uint64_t home, std::uint64_t seed);
    contender(const contender&) = delete;
    contender& operator=(const contender&) = delete;

    /// Goes on until the faults are over, and then until one more round was served.
    boost::asio::awaitable<void> run();

    /// Cancels the acquire under way, if there is one.
    void cancel();

    [[nodiscard]] bool served() const noexcept { return served_; }

private:
    using part = lots::part;
    using parts = lots::parts;

    struct outcome {
        error_code failure;
        held_lock held;
    };

    /// Returns whether the acquire was granted.
    boost::asio::awaitable<bool> play_round(manner how);
    boost::asio::awaitable<outcome> acquire(parts what, manner how);
    template <class Lock>
    boost::asio::awaitable<outcome> acquire_lock(Lock lock, manner how);
    boost::asio::awaitable<void> hold(held_lock& held, part& what);
    /// Adds one to the counter of a guarded lock, by guarded writes.
    boost::asio::awaitable<void> count_up(held_lock& held, const part& what);
    /// Turns a writer into a reader and back, now and then.
    boost::asio::awaitable<void> change_hold(held_lock& held, part& what);
    boost::asio::awaitable<void> downgrade(held_lock& held, part& what);
    boost::asio::awaitable<void> upgrade(held_lock& held, part& what);
    boost::asio::awaitable<void> let_go(held_lock held, parts what);
    boost::asio::awaitable<void> rest(std::chrono::microseconds duration);
    void watch_for_loss(const held_lock& held, parts what);
    /// Ends the rest of the hold when another contender asks for the lock.
    void heed_requests(const held_lock& held, std::uint64_t id);
    boost::asio::awaitable<void> write(part what, fencing_token token);
    /// Writes with a token whose lock was lost, as a late message would: the store must refuse it.
    boost::asio::awaitable<void> write_late(part what, fencing_token token);

    worker_setting& setting_;
    session& session_;
    lots lots_;
    boost::asio::cancellation_signal cancellation_;
    boost::asio::steady_timer timer_;
    std::optional<election> stood_{}; // the election that the round stands for, if it is one
    test::fenced_store_client store_;
    bool store_open_ = false;   // store_ is connected
    std::uint64_t holding_ = 0; // the (first) acquire whose lock is held; 0: none
    bool lost_ = false;         // the lock of the last grant was lost
    bool served_ = false;       // a round after the faults was granted
};

} // namespace turnstile::chaos
