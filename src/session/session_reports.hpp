// SPDX-License-Identifier: BSL-1.0
// What a session reports to the user's log sink and observer, and what it counts.
#pragma once

#include "session/locks/lock_object.hpp"
#include "session/locks/usage_meter.hpp"
#include "session/session_log.hpp"
#include "session/user_call.hpp"
#include "zookeeper/session_strand.hpp"

#include <turnstile/lock_event.hpp>
#include <turnstile/logger.hpp>
#include <turnstile/options.hpp>

#include <boost/asio/post.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace turnstile::detail {

/// Calls the user's functions, which session_options names, and counts for the session and for its
/// lock objects. session_impl owns it. All members but options() and the counters are used on the
/// session's strand. If this thread is inside a function that the user called (user_call), a call
/// is posted. While a posted call has not run, all later ones are posted behind it, so they come in
/// order.
class session_reports final : public std::enable_shared_from_this<session_reports> {
public:
    explicit session_reports(session_options options)
        : options_(std::move(options)), lines_(options_.log) {}

    const session_options& options() const { return options_; }
    /// Posts calls to this strand from now on.
    void post_on(const zookeeper::session_strand& strand) { strand_ = strand; }
    /// Calls the function on that strand, behind all that was posted so far.
    template <class Function>
    void post(Function function) {
        boost::asio::post(strand_.value(), std::move(function));
    }
    /// Calls the function once all that was to be reported has been. Nothing is reported after
    /// that.
    template <class Function>
    void end(Function function) {
        auto last = [self = shared_from_this(), function = std::move(function)]() mutable {
            self->silence();
            function();
        };
        if (under_way_ == 0)
            last();
        else
            post(std::move(last));
    }
    /// The execution context is gone.
    void post_nowhere() { strand_.reset(); }
    /// The session is closed, or its object is gone. What the sink and the observer refer to may be
    /// gone as well.
    void silence() { is_silent_ = true; }

    session_log& lines() { return lines_; }
    const session_log& lines() const { return lines_; }
    /// Logs the text that `make` returns; does not call it if the level is not logged.
    template <class Make>
    void log(log_level level, Make make) noexcept {
        if (lines_.takes(level))
            log([&] { return lines_.say(level, make()); });
    }
    /// Logs the line that `make` returns, if it returns one.
    template <class Make>
    void log(Make make) noexcept {
        try {
            std::optional<session_log::line> line = make();
            if (!line)
                return;
            call([line = std::move(*line)](const session_options& options) {
                write_log(options.log, line.level, line.text);
            });
        } catch (...) { // without memory the message is lost, not the session
        }
    }
    void tell_observer(const std::shared_ptr<lock_record>& of, lock_event what) noexcept {
        if (!options_.observer)
            return;
        what.path = of->path;
        try {
            call([what, of](const session_options& options) {
                try {
                    options.observer(what);
                } catch (...) { // an observer that throws misses an event, and costs no lock
                }
            });
        } catch (...) { // without memory the event is lost, not the session
        }
    }

    void count(lock_record& of, std::uint64_t lock_usage::*what) {
        of_locks_.add(what);
        of.usage.add(what);
    }
    void count(lock_record& of, duration_histogram lock_usage::*where,
               std::chrono::nanoseconds length) {
        of_locks_.add(where, length);
        of.usage.add(where, length);
    }
    void count(std::uint64_t session_usage::*what) { of_session_.add(what); }
    session_usage usage() const {
        auto all = of_session_.read();
        all.locks = of_locks_.read();
        return all;
    }

private:
    template <class Call>
    void call(Call call) {
        if (is_silent_)
            return;
        if (!user_call::under_way() && under_way_ == 0)
            return call(options_);
        post([self = shared_from_this(), call = std::move(call)] {
            --self->under_way_;
            if (!self->is_silent_)
                call(self->options_);
        });
        ++under_way_;
    }

    const session_options options_;
    std::optional<zookeeper::session_strand> strand_;
    session_log lines_;
    std::atomic<bool> is_silent_{false};
    std::size_t under_way_ = 0; // posted calls
    meter<session_usage> of_session_;
    usage_meter of_locks_;
};

} // namespace turnstile::detail
