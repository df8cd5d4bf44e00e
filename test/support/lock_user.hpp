// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "journal.hpp"

#include <turnstile/held_lock.hpp>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace turnstile::test {

/// One user of one lock of whatever kind, with callbacks: no coroutine to compile, and thousands of
/// them are cheap. Counts what is started and what completes.
class lock_user {
public:
    using handler = boost::asio::any_completion_handler<void(error_code, held_lock)>;
    using acquirer = std::function<void(handler)>; ///< starts the acquire of the lock

    lock_user(const boost::asio::any_io_executor& executor, acquirer how, journal* book = nullptr);
    lock_user(const lock_user&) = delete;
    lock_user& operator=(const lock_user&) = delete;
    ~lock_user();

    void acquire(); ///< results of before are forgotten
    void cancel();  ///< of the acquire
    void release();
    void downgrade(); ///< to a reader
    void upgrade();   ///< to a writer, if that is possible

    [[nodiscard]] bool holds() const { return static_cast<bool>(lock); }
    [[nodiscard]] bool failed() const { return static_cast<bool>(failure); }

    std::string name{"somebody"}; ///< in reports
    bool reads = false;           ///< its acquires are to read
    held_lock lock;
    turnstile::fencing_token token; ///< of the newest grant, or of the upgrade after it
    lease_clock::time_point granted_at;
    error_code failure;              ///< of the newest acquire
    bool cancelled = false;          ///< it was
    std::optional<error_code> loss;  ///< what lost() told of the newest grant
    lease_clock::time_point lost_at; ///< when it did
    std::optional<error_code> risk;  ///< what at_risk() told of it
    lease_clock::time_point at_risk_at;
    std::optional<error_code> release_result;
    std::optional<error_code> downgrade_result;
    std::optional<error_code> upgrade_result;
    bool release_when_granted = false;     ///< at once, inside the handler; or
    std::chrono::milliseconds hold_for{0}; ///< after this time, so that overlaps can be seen

    int started = 0;   ///< acquires, releases, downgrades and upgrades
    int completed = 0; ///< of them
    int grants = 0;
    int losses_awaited = 0; ///< waits for a loss
    int losses_told = 0;    ///< of them, whatever they told

protected:
    handler on_acquire(); ///< for an acquire that starts now

private:
    void on_acquired(promises::acquire_id which, const error_code& result, held_lock granted);
    void keep(promises::acquire_id which, held_lock granted);
    void let_go(bool awaited);
    void start();
    void await_loss();
    void await_risk();
    void release_soon();

    acquirer how_;
    journal* book_;
    promises::acquire_id held_ = 0; // what the lock was granted to
    bool counts_on_it_ = false;     // was granted it, and has not let it go
    boost::asio::steady_timer rest_;
    boost::asio::cancellation_signal cancellation_;
};

} // namespace turnstile::test
