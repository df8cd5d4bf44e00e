// SPDX-License-Identifier: BSL-1.0
#include "options/connection_options.hpp"

#include "option_list.hpp"
#include "options/acl_option.hpp"
#include "options/duration_option.hpp"
#include "options/identity_file.hpp"

#include <CLI/App.hpp>

#include <algorithm>

namespace turnstile::command {

namespace {

constexpr auto group = servers_group;

// Work with a limit may take this much longer until the first server has answered.
constexpr std::chrono::seconds time_to_connect{4};

} // namespace

void connection_options::add_acl_to(CLI::App& app) { add_acl(app, rights)->group(group); }

void connection_options::add_guard_to(CLI::App& app) {
    app.add_option("--guard", guard,
                   "The socket of `turnstile guard` on this host, or else TURNSTILE_GUARD in the\n"
                   "environment")
        ->envname("TURNSTILE_GUARD")
        ->type_name("PATH")
        ->group(group);
}

void connection_options::add_to(CLI::App& app) {
    using namespace std::chrono_literals;
    app.add_option("-s,--server", servers,
                   "HOST:PORT[,HOST:PORT...][/CHROOT], or else TURNSTILE_SERVERS in the\n"
                   "environment, or else 127.0.0.1:2181")
        ->envname("TURNSTILE_SERVERS")
        ->type_name("LIST")
        ->group(group);
    app.add_option("--auth-file", auth_file,
                   "A file with identities, one a line, such as: digest alice:secret")
        ->type_name("FILE")
        ->group(group);
    tls.add_to(app, group);
    sasl.add_to(app, group);
    add_duration(app, "--timeout", timeout,
                 "The servers give our locks to others when they have not heard of\n"
                 "us for so long. Default: 15s (`run`: more where --grace needs it;\n"
                 "where none is taken: --connect-timeout, if that is shorter).\n"
                 "It does not limit the wait for a lock: `run --wait` does",
                 {.least = 200ms, .most = 1h}) // as the library takes it
        ->group(group);
    add_duration(app, "--tick", tick,
                 "tickTime of the servers, the largest, or else TURNSTILE_TICK in the\n"
                 "environment. A holder then survives a longer silence of the servers.\n"
                 "Stated too small, two may hold one lock: `doctor` compares it",
                 {.least = 1ms})
        ->envname("TURNSTILE_TICK")
        ->group(group);
    app.add_flag("--watch-own-data", watch_own_data,
                 "For servers with a zookeeper.watchManagerName, see `doctor`; or else\n"
                 "TURNSTILE_WATCH_OWN_DATA=1 in the environment")
        ->envname("TURNSTILE_WATCH_OWN_DATA")
        ->group(group);
    add_duration(app, "--connect-timeout", connect_timeout,
                 "Give up if no server answers for so long. Default: " +
                     option_text(connect_timeout),
                 {.least = 1ms})
        ->group(group);
    app.add_flag("-v,--verbose", verbose, "Tell what happens with the servers")->group(group);
}

session_options
connection_options::for_session(std::optional<std::chrono::milliseconds> limit) const {
    session_options result;
    result.servers = servers;
    result.connect_timeout = connect_timeout;
    if (limit)
        result.connect_timeout = std::min(connect_timeout, *limit + time_to_connect);
    if (timeout)
        result.timeout = *timeout;
    result.tick = tick;
    result.watch_own_data = watch_own_data;
    if (!auth_file.empty())
        result.identities = identities_from(auth_file);
    result.tls = tls.chosen();
    result.sasl = sasl.chosen(result.identities);
    result.acl = rights;
    result.host_guard = guard;
    // The session logs nothing: the command says once what goes wrong, in its own words.
    result.log.level = verbose ? log_level::info : log_level::none;
    return result;
}

} // namespace turnstile::command
