// SPDX-License-Identifier: BSL-1.0
#include <turnstile/detail/signal_watch.hpp>
#include <turnstile/diagnostics.hpp>
#include <turnstile/error.hpp>

#include <boost/asio/signal_set.hpp>

#include <string>
#include <utility>

namespace turnstile::detail {

/// One wait after the other for the next signal. The signal_watch owns this; a handler that runs
/// later does nothing.
struct signal_watch::wait : std::enable_shared_from_this<wait> {
    wait(const boost::asio::any_io_executor& executor, std::function<void()> then)
        : signals(executor), on_signal(std::move(then)) {}

    void await_next() {
        signals.async_wait([weak = weak_from_this()](const error_code& failed, int) {
            const auto self = weak.lock();
            if (failed || !self)
                return;
            self->on_signal();
            self->await_next();
        });
    }

    boost::asio::signal_set signals;
    std::function<void()> on_signal;
};

signal_watch::signal_watch(const boost::asio::any_io_executor& where,
                           const std::vector<int>& numbers, std::function<void()> on_signal)
    : wait_(std::make_shared<wait>(where, std::move(on_signal))) {
    for (const int number : numbers) {
        error_code refused;
        if (wait_->signals.add(number, refused); refused)
            throw error_with_diagnostics(
                error::bad_options,
                {.cause = "exclusive_options::stop_on: " + std::to_string(number) +
                          " is no signal to wait for"});
    }
    if (!numbers.empty()) // Asio leaks a wait for no signal if its context ends first
        wait_->await_next();
}

signal_watch::~signal_watch() = default;

} // namespace turnstile::detail
