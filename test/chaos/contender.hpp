#pragma once

#include "worker_setting.hpp"

#include "support/fenced_store.hpp"

#include <turnstile.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstdint>
#include <random>
#include <string>

namespace turnstile::chaos {

/// One user of the locks: acquires one, holds it, writes to the store now and then, lets it go, and
/// writes down what it was told, in the order in which it was told.
class contender {
public:
    /// Mostly asks for its home lock: else one lock that is stuck would soon have caught everybody.
    contender(worker_setting& setting, session& owner, std::uint64_t home, std::uint64_t seed);
    contender(const contender&) = delete;
    contender& operator=(const contender&) = delete;

    /// Until the faults are over, and one acquire more, which must be served.
    boost::asio::awaitable<void> run();

    /// Cancels the acquire under way, if there is one.
    void cancel();

    [[nodiscard]] bool served() const noexcept { return served_; }

private:
    enum class manner { patient, bounded, impatient };

    boost::asio::awaitable<bool> round(manner how);
    boost::asio::awaitable<void> hold(held_lock& held, std::uint64_t id, const std::string& path);
    boost::asio::awaitable<void> let_go(held_lock held, std::uint64_t id);
    boost::asio::awaitable<void> write_late(const std::string& path, fencing_token token,
                                            std::uint64_t id);
    boost::asio::awaitable<void> rest(std::chrono::microseconds duration);
    void watch(const held_lock& held, std::uint64_t id);

    boost::asio::awaitable<void> write(const std::string& path, fencing_token token,
                                       std::uint64_t id);

    [[nodiscard]] std::uint64_t any_lock();
    [[nodiscard]] manner any_manner();
    [[nodiscard]] std::chrono::microseconds any_hold();
    [[nodiscard]] bool one_in(unsigned n);

    worker_setting& setting_;
    session& session_;
    std::uint64_t home_;
    std::mt19937_64 engine_;
    boost::asio::cancellation_signal cancellation_;
    boost::asio::steady_timer timer_;
    test::fenced_store_client store_;
    bool store_open_ = false;
    std::uint64_t holding_ = 0; // the acquire whose lock is held; 0: none
    bool lost_ = false;         // that lock
    bool served_ = false;
};

} // namespace turnstile::chaos
