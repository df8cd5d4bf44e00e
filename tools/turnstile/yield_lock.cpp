// SPDX-License-Identifier: BSL-1.0
#include "yield_lock.hpp"

#include "command_failure.hpp"
#include "denied_node.hpp"
#include "duration_option.hpp"
#include "holder_text.hpp"
#include "line_text.hpp"
#include "output.hpp"
#include "quietly.hpp"
#include "signal_watch.hpp"

#include <turnstile/mutex.hpp>
#include <turnstile/with_diagnostics.hpp>

#include <nlohmann/json.hpp>

#include <CLI/App.hpp>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <csignal>
#include <tuple>
#include <variant>
#include <vector>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

constexpr int was_free = 1; // the exit code

/// Returns the exit code.
int tell(const yield_options& how, const std::vector<participant>& line, int code) {
    const auto holder = std::ranges::find_if(line, &participant::holds);
    const bool held = holder != line.end();
    if (how.json) {
        nlohmann::json result{{"path", how.path}, {"yielded", code == 0}, {"holder", nullptr}};
        if (held)
            result["holder"] = json_of(*holder);
        print(text_of(result, 2));
    } else if (code == 0) {
        print(
            fmt::format("{}: {} has let go\n", how.path, held ? name_text(*holder) : "its holder"));
    } else if (code == was_free) {
        print(fmt::format("{}: nobody holds it\n", how.path));
    } else {
        print(fmt::format("{}: not let go within {}, {}\n", how.path, option_text(*how.limit),
                          holder_text(line)));
    }
    return code;
}

} // namespace

void yield_options::add_to(CLI::App& app) {
    path_options::add_to(app);
    connection.add_acl_to(app);
    app.add_option("--reason", reason, "Told to the holder")->type_name("TEXT");
    app.add_option("--label", label, "Shown to the holder beside host and process id")
        ->type_name("TEXT");
    add_duration(app, "--wait", limit, "Wait for so long at most. Default: for ever",
                 {.least = std::chrono::milliseconds(1)});
}

int yield_lock(const yield_options& how) {
    int signal = 0;
    const int code = with_connection(how, [&](session& own) -> asio::awaitable<int> {
        using namespace asio::experimental::awaitable_operators;
        // The request does not outlive this process.
        asio::signal_set stop(own.get_executor(), SIGINT, SIGTERM, SIGHUP);
        asio::steady_timer time(own.get_executor(), asio::steady_timer::time_point::max());
        if (how.limit)
            time.expires_after(*how.limit);
        const auto line = co_await line_at(own, how, 1);
        if (!line.empty() && may_be_semaphore(line))
            throw command_failure(exit_code::refused,
                                  fmt::format("a semaphore is at {}\n"
                                              "Those who hold its permits cannot be asked.",
                                              how.path));
        mutex lock(own, how.path);
        diagnostics told;
        const auto first =
            co_await (lock.ask_to_yield(how.reason, with_diagnostics(told, quietly)) ||
                      time.async_wait(quietly) || stop.async_wait(quietly));
        if (const auto* const stopped = std::get_if<2>(&first)) {
            signal = std::get<1>(*stopped);
            co_return signalled_by(signal);
        }
        if (first.index() == 1)
            co_return tell(how, co_await line_at(own, how, 1),
                           static_cast<int>(exit_code::not_acquired));
        const auto why = std::get<0>(std::get<0>(first));
        if (why && why != error::not_held) {
            const auto node = co_await denied_node(own, why, how.path + "%yield");
            throw failure_of(why, told, how.connection, node);
        }
        co_return tell(how, line, why ? was_free : 0);
    });
    return signal != 0 ? end_by(signal) : code;
}

} // namespace turnstile::command
