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

/// One user of the locks: acquires one, holds it, writes to the store now and then, lets it go, and
/// writes down what it was told, in the order in which it was told.
class contender {
public:
    contender(worker_setting& setting, session& owner, std::uint64_t home, std::uint64_t seed);
    contender(const contender&) = delete;
    contender& operator=(const contender&) = delete;

    /// Until the faults are over, and one acquire more, which must be served.
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

    boost::asio::awaitable<bool> round(manner how);
    boost::asio::awaitable<outcome> ask(parts what, manner how);
    /// `count`: the leases of a semaphore, else nothing.
    template <class Lock>
    boost::asio::awaitable<outcome> ask(Lock lock, manner how);
    boost::asio::awaitable<void> hold(held_lock& held, part& what);
    boost::asio::awaitable<void> count(held_lock& held, const part& what);
    boost::asio::awaitable<void> change(held_lock& held, part& what);
    boost::asio::awaitable<void> downgrade(held_lock& held, part& what);
    boost::asio::awaitable<void> upgrade(held_lock& held, part& what);
    boost::asio::awaitable<void> let_go(held_lock held, parts what);
    boost::asio::awaitable<error_code> release(held_lock held, const parts& what);
    boost::asio::awaitable<void> write_late(part what, fencing_token token);
    boost::asio::awaitable<void> rest(std::chrono::microseconds duration);
    void watch(const held_lock& held, parts what);
    boost::asio::awaitable<void> write(part what, fencing_token token);

    worker_setting& setting_;
    session& session_;
    lots lots_;
    boost::asio::cancellation_signal cancellation_;
    boost::asio::steady_timer timer_;
    std::optional<election> stood_{}; // for this one last, alone
    test::fenced_store_client store_;
    bool store_open_ = false;
    std::uint64_t holding_ = 0; // the (first) acquire whose lock is held; 0: none
    bool lost_ = false;         // that lock
    bool served_ = false;
};

} // namespace turnstile::chaos
