// SPDX-License-Identifier: BSL-1.0
#include "session/locks/usage_meter.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <cstddef>

namespace turnstile::detail {

void count(duration_histogram& histogram, std::chrono::nanoseconds length) {
    constexpr auto& limits = duration_histogram::limits;
    length = std::max(length, std::chrono::nanoseconds::zero());
    std::size_t bucket = 0;
    while (bucket < limits.size() && length > limits[bucket]) // most durations are short
        ++bucket;
    ++histogram.counts[bucket];
    histogram.sum += length;
}

std::uint64_t lock_usage::*counter_of(const error_code& result) {
    if (!result)
        return &lock_usage::granted;
    if (result == error::would_block)
        return &lock_usage::would_block;
    if (result == error::timeout)
        return &lock_usage::timed_out;
    return result == boost::asio::error::operation_aborted ? &lock_usage::cancelled
                                                           : &lock_usage::failed;
}

} // namespace turnstile::detail
