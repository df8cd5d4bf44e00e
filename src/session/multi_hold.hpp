// SPDX-License-Identifier: BSL-1.0
// Several locks that are held as one.
#pragma once

#include "session/lock_state.hpp"
#include "session/usage_meter.hpp"

#include <turnstile/lease_clock.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace turnstile::detail {

/// Lost when any part is, released in reverse.
class multi_hold final : public lock_state {
public:
    using parts = std::vector<std::shared_ptr<lock_state>>;

    /// What one acquire came to: further handles share it.
    struct grant {
        grant(std::shared_ptr<usage_meter> counts, std::vector<std::size_t> acquired_in)
            : usage(std::move(counts)), order(std::move(acquired_in)) {}

        const std::shared_ptr<usage_meter> usage;
        const std::vector<std::size_t> order; // in which the parts were acquired
        const lease_clock::time_point at = lease_clock::now();
        std::atomic<std::size_t> handles{0}; // that were not let go
    };

    /// At least one part, as they were named.
    multi_hold(parts named, std::shared_ptr<grant> of)
        : parts_(std::move(named)), grant_(std::move(of)) {
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
    void count_end() noexcept;

    const parts parts_;
    const std::shared_ptr<grant> grant_;
    std::atomic_flag ended_{};
};

} // namespace turnstile::detail
