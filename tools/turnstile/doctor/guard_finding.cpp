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
constexpr std::chrono::milliseconds patience{6'000};
constexpr std::chrono::milliseconds look{10};

} // namespace

findings findings_of_guard(const connection_options& how) {
    if (how.guard.empty())
        return {};
    // The session's own log says what became of the registration.
    bool taken = false;
    std::string trouble;
    auto options = how.for_session();
    options.log = {.level = log_level::info, .sink = [&](log_level level, std::string_view text) {
                       if (text.find("registered with the guard") != std::string_view::npos)
                           taken = true;
                       else if (const auto at = text.find("the guard at ");
                                level == log_level::warning && at != std::string_view::npos)
                           trouble = text.substr(at);
                   }};
    run_with_session(options, [&](session& own) -> asio::awaitable<int> {
        const auto [failed] = co_await own.connect(quietly);
        for (auto left = patience; !failed && !taken && trouble.empty() && left.count() > 0;
             left -= look)
            co_await pause_for(look);
        co_return 0;
    });
    if (taken)
        return {{severity::ok, "guard", "",
                 fmt::format("the guard at {} ends sessions of processes that die",
                             printable(how.guard)),
                 ""}};
    if (trouble.empty())
        return {{severity::unknown, "guard", "",
                 fmt::format("no server answers, so the guard at {} was not asked",
                             printable(how.guard)),
                 ""}};
    const bool refused = trouble.find("pidfd_open") != std::string::npos;
    return {{severity::warning, "guard", "", trouble.substr(0, trouble.find(". Without")),
             refused ? "Allow pidfd_open: the seccomp profile of the container refuses it, or the "
                       "kernel is older than 5.3."
                     : "Run `turnstile guard` there (systemctl status turnstile-guard), and let "
                       "this user reach its socket."}};
}

} // namespace turnstile::command
