// SPDX-License-Identifier: BSL-1.0
#include "locks/multi_usage.hpp"

#include <boost/asio/error.hpp>

namespace turnstile::detail {

namespace {

usage_count usage_meter::*counter_of(const error_code& result) {
    if (!result)
        return &usage_meter::granted;
    if (result == error::would_block)
        return &usage_meter::would_block;
    if (result == error::timeout)
        return &usage_meter::timed_out;
    return result == boost::asio::error::operation_aborted ? &usage_meter::cancelled
                                                           : &usage_meter::failed;
}

histogram_meter::entry since(lease_clock::time_point began) {
    return histogram_meter::entry(lease_clock::now() - began);
}

} // namespace

void multi_usage::acquire_began() {
    const std::lock_guard guard(mutex_);
    meter_.acquires.add();
}

void multi_usage::acquire_ended(const error_code& result, lease_clock::time_point began) {
    const std::lock_guard guard(mutex_);
    (meter_.*counter_of(result)).add();
    if (!result)
        meter_.wait.add(since(began));
}

void multi_usage::let_go(usage_count usage_meter::*how, lease_clock::time_point granted_at) {
    const std::lock_guard guard(mutex_);
    (meter_.*how).add();
    meter_.hold.add(since(granted_at));
}

lock_usage multi_usage::read() const {
    const std::lock_guard guard(mutex_);
    return meter_.read();
}

} // namespace turnstile::detail
