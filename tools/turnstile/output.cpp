// SPDX-License-Identifier: BSL-1.0
#include "output.hpp"

#include "command_failure.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace turnstile::command {

void print(const std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
        throw command_failure(exit_code::failed,
                              std::string("write error: ") + std::strerror(errno));
}

} // namespace turnstile::command
