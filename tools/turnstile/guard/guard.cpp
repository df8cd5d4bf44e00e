// SPDX-License-Identifier: BSL-1.0
#include "commands.hpp"

#include "command_failure.hpp"
#include "guard/host_guard.hpp"
#include "options/duration_option.hpp"
#include "text/printable.hpp"
#include "text/say.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <CLI/App.hpp>

#include <fmt/core.h>

#include <sys/prctl.h>
#include <sys/resource.h>

#include <charconv>
#include <csignal>
#include <cstddef>
#include <utility>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

constexpr std::size_t least_descriptors = 64;

mode_t mode_of(const std::string& text) {
    unsigned mode = 0;
    const auto end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, mode, 8);
    if (read.ec != std::errc() || read.ptr != end || mode > 0777)
        throw command_failure(exit_code::bad_usage,
                              fmt::format("--mode {} is no mode of a file: write it in octal, such "
                                          "as 0660",
                                          printable(text)));
    return mode;
}

/// Raises the limit of open files as far as it goes, and returns it. Each session takes two
/// descriptors, with TLS up to five.
std::size_t raise_descriptors() {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    ::getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur < least_descriptors)
        throw command_failure(
            exit_code::failed,
            fmt::format("the guard needs {} descriptors at least (ulimit -n)", least_descriptors));
    return limit.rlim_cur;
}

} // namespace

void guard_options::add_to(CLI::App& app) {
    using namespace std::chrono_literals;
    app.add_option("--socket", socket,
                   "Where programs register their sessions, or else TURNSTILE_GUARD in the\n"
                   "environment")
        ->envname("TURNSTILE_GUARD")
        ->type_name("PATH")
        ->required();
    app.add_option("--mode", mode,
                   "Who may register: the mode of the socket. Default: 0660, the guard's user\n"
                   "and group")
        ->type_name("MODE");
    add_duration(app, "--settle", settle,
                 "Wait so long before the session of a dead process is ended: what the\n"
                 "process had sent to others still arrives. Default: 0s",
                 {.least = 0ms, .most = 1h});
    app.add_flag("-v,--verbose", verbose, "Tell of refused registrations, too");
}

int guard(const guard_options& how) {
    // Passwords of sessions are in this memory: no core file, and no debugger.
    ::prctl(PR_SET_DUMPABLE, 0);
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGCHLD, SIG_IGN); // the guard waits for no child, since one may hang
    asio::io_context context(1);
    guard_socket socket(how.socket, mode_of(how.mode));
    host_guard of_host(
        context, socket,
        {.settle = how.settle, .most_descriptors = raise_descriptors(), .verbose = how.verbose});
    asio::signal_set ends(context, SIGINT, SIGTERM);
    ends.async_wait([&](const boost::system::error_code&, int) { context.stop(); });
    of_host.start();
    notify_ready();
    say(fmt::format("guard: sessions may register at {}", printable(how.socket)));
    context.run();
    return 0;
}

} // namespace turnstile::command
