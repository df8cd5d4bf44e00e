// SPDX-License-Identifier: BSL-1.0
#include "commands.hpp"

#include "options/duration_option.hpp"
#include "taking/lock_until_end.hpp"
#include "text/human_text.hpp"
#include "text/outcome.hpp"
#include "text/output.hpp"
#include "text/quietly.hpp"
#include "verbs/live_view.hpp"

#include <turnstile/run_with_session.hpp>

#include <CLI/App.hpp>

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <string>
#include <variant>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

constexpr int was_at_risk = 1; // the exit code

std::string seconds_of(lease_clock::duration span) {
    return fmt::format("{:.1f} s", std::chrono::duration<double>(span).count());
}

/// Watches a held lock, and shows each change of its session and each time it is near its loss.
/// drill() makes it, and calls follow() under the lock and end() after the release. The functions
/// follow_...() run side by side; each that has nothing more to watch waits for ever.
class lease_record {
public:
    lease_record(const drill_options& how, session& own) : how_(how), session_(own) {}

    /// Watches until the time of --for is over, or nothing reads the output any more.
    asio::awaitable<void> follow(held_lock& lock) {
        using namespace asio::experimental::awaitable_operators;
        lock_ = &lock;
        measure();
        note("holds " + how_.lock.path);
        const auto first = co_await (outcome_of(follow_lease()) || outcome_of(follow_risk()) ||
                                     outcome_of(follow_connection()) || outcome_of(follow_time()) ||
                                     outcome_of(follow_output()) || outcome_of(end_of_reader()));
        if (const auto failure = std::visit([](const auto& each) { return each; }, first))
            std::rethrow_exception(failure);
    }

    /// Prints the result. Returns the exit code of the drill. `code`: that of the hold.
    int end(int code) {
        if (lock_ == nullptr)
            return code;
        end_outage();
        const bool lost = code == static_cast<int>(exit_code::lost);
        print(unwritten_ +
              fmt::format("{}: {} of {} were left at the least; at risk: {}; reconnects: {}; "
                          "longest time without a server: {}\n",
                          lost ? "lost" : "held",
                          seconds_of(lost ? lease_clock::duration() : least_left_),
                          seconds_of(most_left_), risks_, reconnects_, seconds_of(longest_away_)));
        return lost ? code : risks_ > 0 ? was_at_risk : static_cast<int>(exit_code::done);
    }

private:
    /// Measures several times between two renewals of the lease.
    asio::awaitable<void> follow_lease() {
        for (;; measure())
            co_await pause_for(session_.negotiated_timeout() / 64);
    }

    asio::awaitable<void> follow_risk() {
        for (;;) {
            const auto [lost] = co_await lock_->wait_at_risk(quietly);
            if (lost)
                co_await never(); // the loss is reported elsewhere
            ++risks_;
            measure();
            note("at risk");
            while (lock_->is_at_risk())
                co_await pause_for(session_.negotiated_timeout() / 64);
            measure();
            note("out of danger");
        }
    }

    asio::awaitable<void> follow_connection() {
        for (auto known = session_.state();;) {
            const auto [failed, now] = co_await session_.wait_state_change(known, quietly);
            if (failed)
                co_await never();
            measure();
            if (now == session_state::connected) {
                ++reconnects_;
                const auto away = end_outage();
                note(fmt::format("connected after {}", seconds_of(away)));
            } else if (known == session_state::connected) {
                disconnected_at_ = lease_clock::now();
                note("no connection");
            }
            known = now;
        }
    }

    /// Returns how long there was no connection.
    lease_clock::duration end_outage() {
        const auto away =
            disconnected_at_ ? lease_clock::now() - *disconnected_at_ : lease_clock::duration();
        longest_away_ = std::max(longest_away_, away);
        disconnected_at_.reset();
        return away;
    }

    asio::awaitable<void> follow_time() {
        if (!how_.length)
            co_await never();
        co_await pause_for(*how_.length);
    }

    /// Measures the time until the loss would be reported. A lock that is lost has no deadline.
    void measure() {
        if (!lock_->is_held())
            return;
        time_left_ = lock_->deadline() - session_.negotiated_timeout() / 16 - lease_clock::now();
        least_left_ = std::min(least_left_, time_left_);
        most_left_ = std::max(most_left_, time_left_);
    }

    /// Adds a line to the output.
    void note(const std::string& event) {
        unwritten_ += fmt::format("{}  {}: {} left, {} at the least\n",
                                  text_of(std::chrono::system_clock::now()), event,
                                  seconds_of(time_left_), seconds_of(least_left_));
    }

    /// Writes the lines. A slow reader does not hold up the other functions.
    asio::awaitable<void> follow_output() {
        for (;; co_await pause_for(std::chrono::milliseconds(20)))
            co_await print_patiently(unwritten_);
    }

    const drill_options& how_;
    session& session_;
    held_lock* lock_ = nullptr; // set once it is held
    lease_clock::duration time_left_{};
    lease_clock::duration least_left_ = lease_clock::duration::max();
    lease_clock::duration most_left_{};
    lease_clock::duration longest_away_{};
    std::optional<lease_clock::time_point> disconnected_at_{}; // since when there is no connection
    std::string unwritten_{};                                  // lines of the output
    int risks_ = 0;
    int reconnects_ = 0;
};

} // namespace

void drill_options::add_to(CLI::App& app) {
    lock_options::add_to(app);
    add_duration(app, "--for", length, "End after so long. Default: when it is asked to");
}

int drill(const drill_options& how) {
    check_not_within(how);
    ignore_output_signals();
    return run_with_session(how.for_session(), [&](session& own) -> asio::awaitable<int> {
        lease_record record(how, own);
        lock_until_end held(how, own, !how.length); // cron gives no input
        const int code = co_await held.run([&](held_lock& lock) { return record.follow(lock); });
        co_return record.end(code);
    });
}

} // namespace turnstile::command
