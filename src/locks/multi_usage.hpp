// SPDX-License-Identifier: BSL-1.0
// Counts what a multi_lock does, on the strands of all its parts.
#pragma once

#include "locks/usage_meter.hpp"

#include <turnstile/error.hpp>
#include <turnstile/lease_clock.hpp>

#include <mutex>

namespace turnstile::detail {

class multi_usage {
public:
    void acquire_began();
    void acquire_ended(const error_code& result, lease_clock::time_point began);
    /// By the last of its handles.
    void let_go(usage_count usage_meter::*how, lease_clock::time_point granted_at);
    lock_usage read() const;

private:
    mutable std::mutex mutex_; // a meter is written by one thread at a time
    usage_meter meter_;
};

} // namespace turnstile::detail
