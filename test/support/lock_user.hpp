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

/// One user of one lock, of any kind. It acquires, holds, and lets go, and tells the journal of it.
/// It works by callbacks, so that a test can have thousands of them. Public members have what it
/// was told last; a test reads them, and runs the executor on one thread. None of its handlers may
/// run after its end.
class lock_user {
public:
    using handler = boost::asio::any_completion_handler<void(error_code, held_lock)>;
    using acquirer = std::function<void(handler)>; ///< starts the acquire of the lock

    lock_user(const boost::asio::any_io_executor& executor, acquirer how, journal* book = nullptr);
    lock_user(const lock_user&) = delete;
    lock_user& operator=(const lock_user&) = delete;
    ~lock_user();

    void acquire(); ///< forgets the results of the acquire before
    void cancel();  ///< cancels the acquire
    void release();
    void downgrade(); ///< makes the writer a reader
    void upgrade();   ///< makes the reader a writer, if that is possible

    [[nodiscard]] bool holds() const { return static_cast<bool>(lock); }
    [[nodiscard]] bool failed() const { return static_cast<bool>(failure); }

    std::string name{"somebody"}; ///< in reports
    bool reads = false;           ///< its acquires are to read
    held_lock lock;
    turnstile::fencing_token token; ///< of the newest grant, or of the upgrade after it
    lease_clock::time_point granted_at;
    error_code failure;              ///< of the newest acquire
    bool cancelled = false;          ///< the newest acquire was cancelled
    std::optional<error_code> loss;  ///< what wait_lost() told of the newest grant
    lease_clock::time_point lost_at; ///< when it told that
    std::optional<error_code> risk;  ///< what wait_at_risk() told of the newest grant
    lease_clock::time_point at_risk_at;
    std::optional<error_code> release_result;
    std::optional<error_code> downgrade_result;
    std::optional<error_code> upgrade_result;
    bool release_when_granted = false;     ///< releases within the handler of the grant, or
    std::chrono::milliseconds hold_for{0}; ///< after this time, so that overlaps can be seen

    int started = 0;   ///< acquires, releases, downgrades and upgrades
    int completed = 0; ///< how many of `started` have completed
    int grants = 0;
    int losses_awaited = 0; ///< waits for a loss
    int losses_told = 0;    ///< how many of these waits have ended, with a loss or a release

protected:
    handler on_acquire(); ///< for an acquire that starts now

private:
    void on_acquired(promises::acquire_id which, const error_code& result, held_lock granted);
    void keep(promises::acquire_id which, held_lock granted);
    /// Tells the journal that the lock is released, once for each grant.
    void tell_release(bool awaited);
    void forget_results();
    void await_loss();
    void await_risk();
    void release_after_hold();

    acquirer start_acquire_;
    journal* book_;                  // null: none is told
    promises::acquire_id held_ = 0;  // the acquire that was granted last
    bool has_not_released_ = false;  // the lock was granted, and its release was not told
    boost::asio::steady_timer rest_; // until hold_for is over
    boost::asio::cancellation_signal cancellation_;
};

} // namespace turnstile::test
