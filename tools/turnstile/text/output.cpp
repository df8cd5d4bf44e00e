// SPDX-License-Identifier: BSL-1.0
#include "text/output.hpp"

#include "command_failure.hpp"
#include "text/outcome.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdio>
#include <cstring>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

command_failure write_failure() {
    return {exit_code::failed, std::string("write error: ") + std::strerror(errno)};
}

} // namespace

void print(const std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
        throw write_failure();
}

asio::awaitable<void> print_patiently(std::string& text) {
    while (!text.empty()) {
        const auto written = write_at_once(STDOUT_FILENO, text);
        if (written >= 0) {
            text.erase(0, static_cast<std::size_t>(written));
            continue;
        }
        if (errno != EAGAIN)
            throw write_failure();
        co_await pause_for(std::chrono::milliseconds(50));
    }
}

// Other programs share the file, so it must not become non-blocking.
ssize_t write_at_once(int file, std::string_view text) {
    pollfd ready{.fd = file, .events = POLLOUT, .revents = 0};
    if (::poll(&ready, 1, 0) != 1) {
        errno = EAGAIN;
        return -1;
    }
    text = text.substr(0, PIPE_BUF); // a pipe that is ready has room for this much
    struct stat kind {};
    ::fstat(file, &kind);
    if (S_ISSOCK(kind.st_mode))
        return ::send(file, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (S_ISFIFO(kind.st_mode)) { // another program may have filled it just now
        const iovec data{const_cast<char*>(text.data()), text.size()};
        const auto written = ::pwritev2(file, &data, 1, -1, RWF_NOWAIT);
        if (written >= 0 || (errno != EOPNOTSUPP && errno != ENOSYS && errno != EINVAL))
            return written;
    }
    return ::write(file, text.data(), text.size());
}

} // namespace turnstile::command
