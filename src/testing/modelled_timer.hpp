// SPDX-License-Identifier: BSL-1.0
// A session's timer, in the time of the modelled ensemble.
#pragma once

#include "locks/session_timer.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/executor_work_guard.hpp>

#include <functional>
#include <memory>
#include <optional>

namespace turnstile::testing::detail {

class ground;

class modelled_timer final : public turnstile::detail::session_timer {
public:
    modelled_timer(ground& below, const boost::asio::any_io_executor& strand,
                   std::function<void()> due);

    void start(lease_clock::time_point at, const std::weak_ptr<void>& owner) override;
    void cancel() noexcept override;

private:
    std::weak_ptr<ground> below_; // the test may end before the last handler
    boost::asio::any_io_executor strand_;
    std::function<void()> due_;
    std::optional<boost::asio::executor_work_guard<boost::asio::any_io_executor>> work_;
    std::uint64_t started_ = 0; // so many times: earlier ones are void
};

} // namespace turnstile::testing::detail
