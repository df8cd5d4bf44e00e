// SPDX-License-Identifier: BSL-1.0
// What goes wrong in coroutines that run beside a scenario's own.
#pragma once

#include <exception>
#include <functional>
#include <utility>

namespace turnstile::bench {

/// Keeps the first exception of several coroutines.
class first_failure {
public:
    first_failure() = default;
    /// `told` is called when there is one.
    explicit first_failure(std::function<void()> told) : told_(std::move(told)) {}

    /// For co_spawn, as often as you like. This object must live until those coroutines end.
    auto handler() {
        return [this](const std::exception_ptr& failure) {
            if (!failure || first_)
                return;
            first_ = failure;
            if (told_)
                told_();
        };
    }
    /// Throws it, if there is one.
    void check() const {
        if (first_)
            std::rethrow_exception(first_);
    }

private:
    std::function<void()> told_;
    std::exception_ptr first_;
};

} // namespace turnstile::bench
