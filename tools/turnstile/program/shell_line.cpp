// SPDX-License-Identifier: BSL-1.0
#include "program/shell_line.hpp"

#include "text/outcome.hpp"
#include "text/say.hpp"

#include <fmt/core.h>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds patience{10}; // of wait(), before the line gets SIGTERM
constexpr std::chrono::seconds grace{1};     // after SIGTERM, before SIGKILL

} // namespace

void shell_line::start(std::vector<std::string> environment) {
    if (line_.empty())
        return;
    auto arguments = std::move(environment);
    arguments.insert(arguments.begin(), "env");
    arguments.insert(arguments.end(), {"sh", "-c", line_});
    std::vector<char*> words;
    for (auto& each : arguments)
        words.push_back(each.data());
    words.push_back(nullptr);
    // The line does not inherit turnstile's blocked and ignored signals, nor its process group.
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
    const int failed = ::posix_spawnp(&process_, "env", nullptr, &how, words.data(), ::environ);
    ::posix_spawnattr_destroy(&how);
    if (failed != 0) {
        process_ = -1;
        say(fmt::format("cannot run the line of {}: {}", option_, std::strerror(failed)));
    }
}

asio::awaitable<void> shell_line::wait() {
    auto until = std::chrono::steady_clock::now() + patience;
    for (int next = SIGTERM; process_ > 0 && ::waitpid(process_, nullptr, WNOHANG) == 0;) {
        if (stop_wanted_ || std::chrono::steady_clock::now() >= until) {
            ::kill(-process_, next); // it has a group of its own
            stop_wanted_ = false;
            until = std::chrono::steady_clock::now() + grace;
            next = SIGKILL;
        }
        co_await pause_for(std::chrono::milliseconds(10));
    }
}

} // namespace turnstile::command
