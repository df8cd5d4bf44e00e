// SPDX-License-Identifier: BSL-1.0
// What the session says to functions of the user: log lines and events. For the files of
// session_impl.
#pragma once

#include "locks/log_sink.hpp"
#include "locks/session_impl.hpp"
#include "locks/user_call.hpp"

#include <boost/asio/post.hpp>

#include <optional>
#include <utility>

namespace turnstile::detail {

template <class Make>
void session_impl::log(log_level level, Make make) noexcept {
    if (log_.takes(level))
        log([&] { return log_.say(level, make()); });
}

template <class Make>
void session_impl::log(Make make) noexcept {
    try {
        std::optional<session_log::line> line = make();
        if (!line)
            return;
        call_user([line = std::move(*line)](const session_options& options) {
            write_log(options.log, line.level, line.text);
        });
    } catch (...) { // without memory the message is lost, not the session
    }
}

template <class Make>
void session_impl::tell(const std::shared_ptr<lock_record>& of, Make make) noexcept {
    if (!options_.observer)
        return;
    try {
        lock_event what = make();
        what.path = of->path;
        call_user([what, of](const session_options& options) {
            try {
                options.observer(what);
            } catch (...) { // one that throws misses an event, and costs no lock
            }
        });
    } catch (...) { // nor does a want of memory
    }
}

// In order: what comes after a call that was posted is posted too.
template <class Call>
void session_impl::call_user(Call call) {
    if (is_ownerless_)
        return; // what sink and observer refer to may be gone as well
    if (!user_call::under_way() && calls_under_way_ == 0)
        return call(options_);
    boost::asio::post(driver_->strand(), [self = shared_from_this(), call = std::move(call)] {
        --self->calls_under_way_;
        if (!self->is_ownerless_)
            call(self->options_);
    });
    ++calls_under_way_;
}

} // namespace turnstile::detail
