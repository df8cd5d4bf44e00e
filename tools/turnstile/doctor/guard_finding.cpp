// SPDX-License-Identifier: BSL-1.0
#include "doctor/guard_finding.hpp"

#include "text/outcome.hpp"
#include "text/printable.hpp"
#include "text/quietly.hpp"

#include <turnstile/run_with_session.hpp>

#include <fmt/core.h>

#include <chrono>
#include <string_view>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

// A session complains about a guard that has not answered for five seconds.
constexpr std::chrono::milliseconds guard_limit{6'000};
constexpr std::chrono::milliseconds between_looks{10};

} // namespace

findings findings_of_guard(const connection_options& how) {
    if (how.guard.empty())
        return {};
    // Only the log of a session says what became of its registration.
    bool is_registered = false;
    std::string complaint;
    std::string cause = "no server answers"; // why there is no session
    auto options = how.for_session();
    options.log = {.level = log_level::info, .sink = [&](log_level level, std::string_view text) {
                       if (text.find("registered with the guard") != std::string_view::npos)
                           is_registered = true;
                       else if (const auto at = text.find("the guard at ");
                                level == log_level::warning && at != std::string_view::npos)
                           complaint = text.substr(at);
                   }};
    run_with_session(options, [&](session& own) -> asio::awaitable<int> {
        const auto [failed] = co_await own.connect(quietly);
        if (failed && failed != error::connect_timeout)
            cause = "no session was made (" + failed.message() + ')';
        for (auto time_left = guard_limit;
             !failed && !is_registered && complaint.empty() && time_left.count() > 0;
             time_left -= between_looks)
            co_await pause_for(between_looks);
        co_return 0;
    });
    if (is_registered)
        return {{severity::ok, "guard", "",
                 fmt::format("the guard at {} ends sessions of processes that die",
                             printable(how.guard)),
                 ""}};
    if (complaint.empty())
        return {{severity::unknown, "guard", "",
                 fmt::format("{}, so the guard at {} was not asked", cause, printable(how.guard)),
                 ""}};
    const bool refused = complaint.find("pidfd_open") != std::string::npos;
    return {{severity::warning, "guard", "", complaint.substr(0, complaint.find(". Without")),
             refused ? "Allow pidfd_open: the seccomp profile of the container refuses it, or the "
                       "kernel is older than 5.3."
                     : "Run `turnstile guard` there (systemctl status turnstile-guard), and let "
                       "this user reach its socket."}};
}

} // namespace turnstile::command
