// SPDX-License-Identifier: BSL-1.0
// The locks of a multi_lock, held as one.
#pragma once

#include "session/locks/lock_state.hpp"
#include "session/locks/usage_meter.hpp"

#include <turnstile/lease_clock.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace turnstile::detail {

/// The state of a held_lock that a multi_lock gave: one handle on each part. It counts as lost when
/// any part is lost. It releases the parts in the reverse order of their acquires. multi_operation
/// makes the first one, and share() a further one for the same parts.
class multi_hold final : public lock_state {
public:
    using parts = std::vector<std::shared_ptr<lock_state>>;

    /// One acquire that was granted. All handles on it share this.
    struct grant {
        grant(std::shared_ptr<usage_meter> counts, std::vector<std::size_t> acquired_in)
            : usage(std::move(counts)), order(std::move(acquired_in)) {}

        const std::shared_ptr<usage_meter> usage;
        const std::vector<std::size_t> order; // the parts, in the order of their acquires
        const lease_clock::time_point granted_at = lease_clock::now();
        std::atomic<std::size_t> handles{0}; // handles that were not let go yet
    };

    /// There is at least one part. They come in the order of the multi_lock's constructor.
    multi_hold(parts held, std::shared_ptr<grant> of)
        : parts_(std::move(held)), grant_(std::move(of)) {
        ++grant_->handles;
    }

    const boost::asio::any_io_executor& executor() const override;
    fencing_token token() const override { return parts_.front()->token(); }
    std::vector<fencing_token> tokens() const override;
    lease_clock::time_point deadline() const override;
    bool is_held() const override;
    bool is_at_risk() const override;
    bool is_closed() const override;

    std::shared_ptr<lock_state> share() override;
    std::vector<std::shared_ptr<ticket_lock>> tickets() override;
    void start(lock_operation what, plain_handler&& done) override;
    void release() noexcept override;
    void on_dropped() noexcept override { parts_.front()->on_dropped(); }

private:
    /// Counts how the lock ended, when its last handle is let go.
    void count_end() noexcept;

    const parts parts_;
    const std::shared_ptr<grant> grant_;
    std::atomic_flag ended_{}; // set: this handle was let go
};

} // namespace turnstile::detail
