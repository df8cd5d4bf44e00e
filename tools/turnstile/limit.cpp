#include "limit.hpp"

#include "command_failure.hpp"
#include "denied_node.hpp"
#include "line_text.hpp"

#include <turnstile/semaphore.hpp>

#include <nlohmann/json.hpp>

#include <CLI/App.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <fmt/core.h>

#include <limits>

namespace turnstile::command {

namespace asio = boost::asio;

void limit_options::add_to(CLI::App& app) {
    path_options::add_to(app);
    auto* const number =
        app.add_option("N", limit, "The new limit: so many leases at a time, over all programs")
            ->check(CLI::Range(std::uint32_t{1}, std::numeric_limits<std::uint32_t>::max())
                        .description(""));
    app.add_flag("--remove", remove, "Take the semaphore away, if nobody holds or waits")
        ->excludes(number);
}

int limit(const limit_options& how) {
    return with_connection(how, [&](session& own) -> asio::awaitable<int> {
        const auto token = asio::as_tuple(asio::use_awaitable);
        semaphore lock(own, how.path);
        diagnostics told;
        if (how.limit || how.remove) {
            const auto [failed] = how.limit ? co_await lock.set_limit(*how.limit, told, token)
                                            : co_await lock.remove(told, token);
            if (failed == error::would_block)
                throw command_failure(
                    exit_code::refused,
                    fmt::format("the semaphore at {} is in use\n"
                                "`turnstile show {}` tells who holds leases and who waits.",
                                how.path, how.path));
            if (failed) {
                const auto node = co_await denied_node(own, failed, how.path);
                throw failure_of(failed, told, how.connection, node);
            }
        }
        const auto now = how.limit ? how.limit : co_await limit_at(own, how);
        if (how.json)
            fmt::print("{}", text_of({{"path", how.path},
                                      {"limit", now ? nlohmann::json(*now) : nlohmann::json()}},
                                     2));
        else if (now)
            fmt::print("{}: at most {} at a time\n", how.path, *now);
        else
            fmt::print("{}: no semaphore\n", how.path);
        co_return static_cast<int>(exit_code::done);
    });
}

} // namespace turnstile::command
