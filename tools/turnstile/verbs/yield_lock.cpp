// SPDX-License-Identifier: BSL-1.0
#include "commands.hpp"

#include "command_failure.hpp"
#include "options/duration_option.hpp"
#include "program/signal_watch.hpp"
#include "text/holder_text.hpp"
#include "text/line_text.hpp"
#include "text/outcome.hpp"
#include "text/output.hpp"
#include "text/quietly.hpp"

#include <turnstile/mutex.hpp>
#include <turnstile/with_diagnostics.hpp>

#include <nlohmann/json.hpp>

#include <CLI/App.hpp>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <exception>
#include <tuple>
#include <variant>
#include <vector>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

constexpr int was_free = 1; // the exit code

/// Prints how the request ended, and returns the exit code.
int print_end(const yield_options& how, const std::vector<participant>& line, int code) {
    const auto holder = std::ranges::find_if(line, &participant::holds);
    const bool held = code != was_free && holder != line.end(); // it may have let go meanwhile
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

namespace {

// The message at the end of the time is not worth a longer wait.
constexpr std::chrono::seconds last_look{1};

/// One request. yield_lock() makes it, calls ask(), and if the time is over before that has
/// returned, give_up(). Each prints how the request ended, and sets code().
class request_to_yield {
public:
    request_to_yield(const yield_options& how, session& own) : how_(how), session_(own) {}

    /// Asks the holder, and waits until it has let go. Throws command_failure.
    asio::awaitable<void> ask() {
        using namespace asio::experimental::awaitable_operators;
        co_await look();
        if (!line_.empty() && may_be_semaphore(line_))
            throw command_failure(exit_code::refused,
                                  fmt::format("a semaphore is at {}\n"
                                              "Those who hold its permits cannot be asked.",
                                              how_.path));
        mutex lock(session_, how_.path);
        diagnostics diag;
        const auto first =
            co_await (lock.ask_to_yield(how_.reason, with_diagnostics(diag, quietly)) ||
                      (look_again() && never()));
        const auto [why] = std::get<0>(first);
        if (why && why != error::not_held) {
            const auto node = co_await denied_node(session_, why, how_.path + "%yield");
            throw failure_of(why, diag, how_.connection, node);
        }
        code_ = print_end(how_, line_, why ? was_free : 0);
    }

    /// Called when the time is over. Throws command_failure.
    asio::awaitable<void> give_up() {
        using namespace asio::experimental::awaitable_operators;
        const auto first = co_await (outcome_of(look()) || pause_for(last_look));
        if (first.index() == 1)
            throw failure_of(error::unreachable, {}, how_.connection, how_.path);
        if (const auto failure = std::get<0>(first))
            std::rethrow_exception(failure);
        code_ = print_end(how_, line_, static_cast<int>(exit_code::not_acquired));
    }

    int code() const { return code_; }

private:
    asio::awaitable<void> look() { line_ = co_await line_at(session_, how_, 1); }
    /// Looks again if another holds the lock by now: that one is asked then. The names alone tell,
    /// in one round trip, so the answer comes before the holder can have heard and let go.
    asio::awaitable<void> look_again() {
        const auto now = co_await line_at(session_, how_, 0);
        const auto holder = std::ranges::find_if(line_, &participant::holds);
        if (holder == line_.end() ||
            std::ranges::find(now, holder->node, &participant::node) == now.end())
            co_await look();
    }

    const yield_options& how_;
    session& session_;
    std::vector<participant> line_{};
    int code_ = 0;
};

} // namespace

int yield_lock(const yield_options& how) {
    const auto began = asio::steady_timer::clock_type::now();
    int signal = 0;
    const auto work = [&](session& own) -> asio::awaitable<int> {
        using namespace asio::experimental::awaitable_operators;
        // At a signal this returns, so that the session ends, and the request with it.
        asio::signal_set stop(own.get_executor(), SIGINT, SIGTERM, SIGHUP);
        asio::steady_timer limit(own.get_executor(), asio::steady_timer::time_point::max());
        if (how.limit)
            limit.expires_at(began + *how.limit);
        request_to_yield request(how, own);
        const auto first = co_await (outcome_of(request.ask()) || limit.async_wait(quietly) ||
                                     stop.async_wait(quietly));
        if (const auto* const stopped = std::get_if<2>(&first)) {
            signal = std::get<1>(*stopped);
            co_return signalled_by(signal);
        }
        if (first.index() == 1)
            co_await request.give_up();
        else if (const auto failure = std::get<0>(first))
            std::rethrow_exception(failure);
        co_return request.code();
    };
    const int code = with_connection(how, work, how.limit);
    return signal != 0 ? end_by(signal) : code;
}

} // namespace turnstile::command
