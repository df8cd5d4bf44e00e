// Several locks that are held as one.
#pragma once

#include "locks/lock_state.hpp"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace turnstile::detail {

/// Lost when any part is, released in reverse.
class multi_hold final : public lock_state {
public:
    using parts = std::vector<std::shared_ptr<lock_state>>;

    /// At least one part, as they were named; `order`: in which they were acquired.
    multi_hold(parts named, std::vector<std::size_t> order)
        : parts_(std::move(named)), order_(std::move(order)) {}

    const boost::asio::any_io_executor& executor() const override;
    fencing_token token() const override { return parts_.front()->token(); }
    std::vector<fencing_token> tokens() const override;
    lease_clock::time_point deadline() const override;
    bool is_held() const override;
    bool is_at_risk() const override;

    std::shared_ptr<lock_state> share() override;
    void release(plain_handler&& done) override;
    void release() noexcept override;
    void on_dropped() noexcept override { parts_.front()->on_dropped(); }
    void await_loss(plain_handler done) override;
    void await_risk(plain_handler done) override;
    void complete_not_held(plain_handler done) override {
        parts_.front()->complete_not_held(std::move(done));
    }

private:
    const parts parts_;
    const std::vector<std::size_t> order_;
};

} // namespace turnstile::detail
