// SPDX-License-Identifier: BSL-1.0
#include "commands.hpp"

#include <CLI/App.hpp>

#include <boost/asio/ip/host_name.hpp>

#include <fmt/core.h>

#include <unistd.h>

namespace turnstile::command {

void elect_options::add_to(CLI::App& app) {
    run_options::add_to(app);
    for (const auto* const each : {"--shared", "--permits"}) // one leads at a time
        app.remove_option(app.get_option(each));
    lock.value = fmt::format("{}@{}", ::getpid(), boost::asio::ip::host_name());
    app.add_option("--value", lock.value,
                   "What observers see of this candidate while it leads, such as an address.\n"
                   "Default: the process id and the host, as 4711@alpha")
        ->type_name("TEXT");
}

} // namespace turnstile::command
