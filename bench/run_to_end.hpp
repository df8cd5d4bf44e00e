// A scenario's coroutines, and what they throw.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <exception>
#include <utility>

namespace turnstile::bench {

/// Runs `what` on the context until nothing is left to be run there. Throws what it throws.
inline void run_to_end(boost::asio::io_context& context, boost::asio::awaitable<void> what) {
    boost::asio::co_spawn(context, std::move(what), [](const std::exception_ptr& failure) {
        if (failure)
            std::rethrow_exception(failure);
    });
    context.run();
}

/// The handler of coroutines that run beside a scenario's own: keeps the first exception.
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
