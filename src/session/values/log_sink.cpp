// SPDX-License-Identifier: BSL-1.0
// Where log lines go: to the user's sink, or to the standard error output.
#include "session/session_log.hpp"

#include <array>
#include <cstdio>
#include <ctime>
#include <poll.h>
#include <string>
#include <unistd.h>

namespace turnstile::detail {

namespace {

// A pipe that polls writable takes a line with so much text at once (PIPE_BUF is 4096 on Linux).
constexpr std::size_t most_text_bytes = 2048;

// By log_level. The last one, `none`, is an error here.
constexpr std::array level_names{"debug", "info", "warning", "error", "error"};

// The time of the system, such as 2026-11-23T09:05:08.123Z.
std::string timestamp() {
    timespec time{};
    ::clock_gettime(CLOCK_REALTIME, &time);
    tm parts{};
    ::gmtime_r(&time.tv_sec, &parts);
    std::array<char, 32> text{};
    const auto length = std::strftime(text.data(), text.size(), "%FT%T", &parts);
    std::snprintf(text.data() + length, text.size() - length, ".%03dZ",
                  static_cast<int>(time.tv_nsec / 1'000'000));
    return text.data();
}

void write_to_stderr(log_level level, std::string_view text) {
    pollfd ready{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
    // No message is worth a blocked thread or a SIGPIPE. (A pipe without a reader polls POLLERR,
    // too.)
    if (::poll(&ready, 1, 0) != 1 || ready.revents != POLLOUT)
        return;
    const auto line = timestamp() + " turnstile " +
                      level_names.at(static_cast<std::size_t>(level)) + ": " +
                      std::string(text.substr(0, most_text_bytes)) + '\n';
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

} // namespace

void write_log(const logger& to, log_level level, std::string_view text) noexcept {
    if (level < to.level || to.level == log_level::none)
        return;
    try {
        if (to.sink)
            to.sink(level, text);
        else
            write_to_stderr(level, text);
    } catch (...) { // a sink that throws loses its message, not a lock
    }
}

} // namespace turnstile::detail
