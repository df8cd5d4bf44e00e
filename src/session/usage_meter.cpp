// SPDX-License-Identifier: BSL-1.0
#include "session/usage_meter.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>

namespace turnstile::detail {

histogram_meter::entry::entry(std::chrono::nanoseconds the_length)
    : length(std::max(the_length, std::chrono::nanoseconds::zero())) {
    constexpr auto& limits = duration_histogram::limits;
    while (bucket < limits.size() && length > limits[bucket]) // most are short
        ++bucket;
}

duration_histogram histogram_meter::read() const {
    duration_histogram result;
    for (std::size_t i = 0; i < counts_.size(); ++i)
        result.counts[i] = counts_[i].read();
    result.sum = std::chrono::nanoseconds{sum_.read()};
    return result;
}

// The order sees to it that no end is read without its begin: waiting() and held() never wrap.
lock_usage usage_meter::read() const {
    lock_usage result;
    result.hold = hold.read();
    result.wait = wait.read();
    result.closed = closed.read();
    result.lost = lost.read();
    result.released = released.read();
    result.granted = granted.read();
    result.would_block = would_block.read();
    result.timed_out = timed_out.read();
    result.cancelled = cancelled.read();
    result.failed = failed.read();
    result.acquires = acquires.read();
    return result;
}

session_usage session_meter::read() const {
    return {.connections = connections.read(),
            .connections_lost = connections_lost.read(),
            .failed_attempts = failed_attempts.read(),
            .sessions = sessions.read(),
            .risks = risks.read(),
            .missed_events = missed_events.read(),
            .stalls = stalls.read(),
            .locks = locks.read()};
}

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

} // namespace turnstile::detail
