// What goes wrong in coroutines that run beside a scenario's own.
#pragma once

#include <exception>

namespace turnstile::bench {

/// Keeps the first exception of several coroutines.
class first_failure {
public:
    /// For co_spawn, as often as you like. This object must live until those coroutines end.
    auto handler() {
        return [this](const std::exception_ptr& failure) {
            if (failure && !first_)
                first_ = failure;
        };
    }
    /// Throws it, if there is one.
    void check() const {
        if (first_)
            std::rethrow_exception(first_);
    }

private:
    std::exception_ptr first_;
};

} // namespace turnstile::bench
