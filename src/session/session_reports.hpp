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

/// Calls the log sink and the observer that session_options names, and counts for the session and
/// for its lock objects. session_impl owns it. All members but options() and the counters are used
/// on the session's strand.
///
/// The user's functions are called at once, with one exception. If this thread is inside a function
/// that the user called (user_call), the call is posted. While a posted call has not run, later
/// ones are posted behind it: so the calls come in their order.
class session_reports final : public std::enable_shared_from_this<session_reports> {
public:
    explicit session_reports(session_options options)
        : options_(std::move(options)), lines_(options_.log) {}

    const session_options& options() const { return options_; }
    /// Calls are posted to this strand from now on.
    void post_on(const zookeeper::session_strand& strand) { strand_ = strand; }
    /// Posts the function to that strand, behind all that was posted before.
    template <class Function>
    void post(Function function) {
        boost::asio::post(strand_.value(), std::move(function));
    }
    /// Calls the function once the posted calls have run. Nothing is reported after that.
    template <class Function>
    void end(Function function) {
        auto last = [self = shared_from_this(), function = std::move(function)]() mutable {
            self->silence();
            function();
        };
        if (posted_ == 0)
            last();
        else
            post(std::move(last));
    }
    /// Lets go of the strand: its execution context is gone.
    void post_nowhere() { strand_.reset(); }
    /// Reports nothing from now on. The session is closed, or its object is gone, and so may be the
    /// objects that the sink and the observer refer to.
    void silence() { is_silent_ = true; }

    session_log& lines() { return lines_; }
    const session_log& lines() const { return lines_; }
    /// Logs the text that `make` returns. It is not called if the level is not logged.
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
    /// Calls the observer, if there is one, with this event of the lock object.
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

    // ---- the counters: for the session, and for this lock object too ----

    void count(lock_record& of, std::uint64_t lock_usage::*what) {
        of_locks_.add(what);
        of.usage.add(what);
    }
    void count(lock_record& of, duration_histogram lock_usage::*histogram,
               std::chrono::nanoseconds length) {
        of_locks_.add(histogram, length);
        of.usage.add(histogram, length);
    }
    void count(std::uint64_t session_usage::*what) { of_session_.add(what); }
    session_usage usage() const {
        auto counts = of_session_.read();
        counts.locks = of_locks_.read();
        return counts;
    }

private:
    /// Calls one of the user's functions, at once or posted: `report` does that with the options.
    template <class Report>
    void call(Report report) {
        if (is_silent_)
            return;
        if (!user_call::under_way() && posted_ == 0)
            return report(options_);
        post([self = shared_from_this(), report = std::move(report)] {
            --self->posted_;
            if (!self->is_silent_)
                report(self->options_);
        });
        ++posted_;
    }

    const session_options options_;
    std::optional<zookeeper::session_strand> strand_; // none once the execution context is gone
    session_log lines_;
    std::atomic<bool> is_silent_{false};
    std::size_t posted_ = 0; // calls that were posted and have not run
    meter<session_usage> of_session_;
    usage_meter of_locks_; // of all lock objects of the session together
};

} // namespace turnstile::detail
