#include "locks/log_sink.hpp"

#include <poll.h>
#include <string>
#include <unistd.h>

namespace turnstile::detail {

namespace {

// A pipe that polls writable takes this many bytes at once (PIPE_BUF is 4096 on Linux).
constexpr std::size_t most_line_bytes = 2048;

void write_to_stderr(std::string_view text) {
    pollfd ready{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
    // No message is worth a blocked thread, or a SIGPIPE: a pipe without a reader polls POLLERR
    // too.
    if (::poll(&ready, 1, 0) != 1 || ready.revents != POLLOUT)
        return;
    const auto line = "turnstile: " + std::string(text.substr(0, most_line_bytes)) + '\n';
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
            write_to_stderr(text);
    } catch (...) { // a sink that throws loses its message, not a lock
    }
}

} // namespace turnstile::detail
