// SPDX-License-Identifier: BSL-1.0
// The signals that end run_exclusively.
#pragma once

#include <turnstile/detail/export.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <memory>
#include <vector>

namespace turnstile::detail {

/// Calls `on_signal` on the executor at each of these signals, as long as this object lives. The
/// executor must be a strand, or of a context that one thread runs. (This is compiled code, since
/// Asio's signals are a large header.)
class signal_watch {
public:
    /// Throws `error::bad_options` if a number is no signal, or one that cannot be caught.
    TURNSTILE_API signal_watch(const boost::asio::any_io_executor& where,
                               const std::vector<int>& numbers, std::function<void()> on_signal);
    TURNSTILE_API ~signal_watch();
    signal_watch(const signal_watch&) = delete;
    signal_watch& operator=(const signal_watch&) = delete;

private:
    struct wait;

    std::shared_ptr<wait> wait_;
};

} // namespace turnstile::detail
