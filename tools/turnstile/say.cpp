// SPDX-License-Identifier: BSL-1.0
#include "say.hpp"

#include <poll.h>
#include <unistd.h>

namespace turnstile::command {

void write_error(const std::string& text, std::chrono::milliseconds patience) {
    pollfd ready{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
    // A pipe without a reader polls POLLERR too.
    if (::poll(&ready, 1, static_cast<int>(patience.count())) == 1 && ready.revents == POLLOUT)
        [[maybe_unused]]
        const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

} // namespace turnstile::command
