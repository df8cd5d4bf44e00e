// SPDX-License-Identifier: BSL-1.0
#include "text/say.hpp"

#include "text/output.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace turnstile::command {

void write_error(const std::string& text, std::chrono::milliseconds patience) {
    const auto until = std::chrono::steady_clock::now() + patience;
    for (std::string_view rest = text; !rest.empty();) {
        const auto written = write_at_once(STDERR_FILENO, rest);
        if (written >= 0) {
            rest.remove_prefix(static_cast<std::size_t>(written));
            continue;
        }
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
        if (errno != EAGAIN || left.count() <= 0)
            return;
        pollfd ready{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
        ::poll(&ready, 1, static_cast<int>(left.count()));
    }
}

} // namespace turnstile::command
