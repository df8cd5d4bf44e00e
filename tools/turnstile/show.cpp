// SPDX-License-Identifier: BSL-1.0
#include "show.hpp"

#include "exit_code.hpp"
#include "known_sessions.hpp"
#include "line_text.hpp"
#include "output.hpp"

#include <CLI/App.hpp>

namespace turnstile::command {

namespace asio = boost::asio;

void show_options::add_to(CLI::App& app) {
    path_options::add_to(app);
    app.add_option("--most", most, "Tell details of so many from the first on. Default: 50")
        ->type_name("N")
        ->check(CLI::Range(0, 1'000'000'000).description(""));
}

int show(const show_options& how) {
    return with_connection(how, [&](session& own) -> asio::awaitable<int> {
        lock_line found{.path = how.path};
        found.line = co_await line_at(own, how, how.most);
        if (may_be_semaphore(found.line))
            found.limit = co_await limit_at(own, how);
        if (!found.line.empty())
            found.sessions = co_await known_sessions(how.connection.servers);
        print(how.json ? json_of(found) : table_of(found));
        co_return static_cast<int>(exit_code::done);
    });
}

} // namespace turnstile::command
