// SPDX-License-Identifier: BSL-1.0
// When a session is to be looked at again.
#pragma once

#include <turnstile/lease_clock.hpp>

#include <memory>

namespace turnstile::detail {

/// All members are called on the session's strand.
class session_timer {
public:
    virtual ~session_timer() = default;
    /// Is due once, at this instant or earlier, instead of what was started before. Whoever
    /// contains this timer is `owner`: a handler that finds the owner gone touches nothing.
    virtual void start(lease_clock::time_point at, const std::weak_ptr<void>& owner) = 0;
    /// Leaves no work behind.
    virtual void cancel() noexcept = 0;
};

} // namespace turnstile::detail
