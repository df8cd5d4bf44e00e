// SPDX-License-Identifier: BSL-1.0
#include "loss_line.hpp"

#include "say.hpp"

#include <fmt/core.h>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace turnstile::command {

void loss_line::start(const std::string& reason) {
    if (line_.empty())
        return;
    auto path = "TURNSTILE_LOCK=" + path_;
    auto why = "TURNSTILE_REASON=" + reason;
    std::string env = "env";
    std::string sh = "sh";
    std::string option = "-c";
    auto line = line_;
    const std::array<char*, 7> words{env.data(),    path.data(), why.data(), sh.data(),
                                     option.data(), line.data(), nullptr};
    // Neither what turnstile blocks and ignores, nor its process group.
    sigset_t mask;
    ::sigemptyset(&mask);
    sigset_t ignored;
    ::sigemptyset(&ignored);
    for (const int each : {SIGPIPE, SIGXFSZ, SIGTTIN, SIGTTOU})
        ::sigaddset(&ignored, each);
    posix_spawnattr_t how;
    ::posix_spawnattr_init(&how);
    ::posix_spawnattr_setsigmask(&how, &mask);
    ::posix_spawnattr_setsigdefault(&how, &ignored);
    ::posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                         POSIX_SPAWN_SETPGROUP);
    const int failed =
        ::posix_spawnp(&process_, env.c_str(), nullptr, &how, words.data(), ::environ);
    ::posix_spawnattr_destroy(&how);
    if (failed != 0) {
        process_ = -1;
        say(fmt::format("cannot run the line of --on-lost: {}", std::strerror(failed)));
    }
}

void loss_line::wait() const {
    while (process_ > 0 && ::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

} // namespace turnstile::command
