// SPDX-License-Identifier: BSL-1.0
#include "commands.hpp"

#include "command_failure.hpp"
#include "duration_option.hpp"
#include "holder_text.hpp"
#include "human_text.hpp"
#include "line_changes.hpp"
#include "line_text.hpp"
#include "live_view.hpp"
#include "output.hpp"

#include <nlohmann/json.hpp>

#include <CLI/App.hpp>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <fmt/core.h>

#include <chrono>
#include <utility>
#include <vector>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

constexpr std::size_t most = 50; // the first so many are shown with details
// Each look costs the servers up to 51 answers.
constexpr std::chrono::milliseconds least_pause{100};

/// Looks at one line again and again.
class line_watch {
public:
    line_watch(const watch_options& how, session& own) : how_(how), session_(own) {}

    asio::awaitable<void> follow() {
        asio::steady_timer timer(session_.get_executor());
        for (;;) {
            co_await look();
            timer.expires_after(how_.every);
            co_await timer.async_wait(asio::use_awaitable);
        }
    }

private:
    asio::awaitable<void> look() {
        std::vector<participant> line;
        try {
            line = co_await line_at(session_, how_, most);
        } catch (const command_failure& e) {
            if (e.code() != exit_code::no_server)
                throw;
            co_return; // it may come back, and the user wants to see that
        }
        for (const auto& each : changes_.look(std::move(line)))
            tell(each);
    }

    void tell(const line_change& change) const {
        const auto now = std::chrono::system_clock::now();
        if (how_.json) {
            auto line = json_of(change.who);
            line.erase("state");
            line["event"] = change.what;
            line["time"] = utc_text(now);
            print(text_of(line, -1));
        } else {
            print(fmt::format("{}  {}  {}{}\n", text_of(now), change.what, name_text(change.who),
                              change.who.shared ? ", shared" : ""));
        }
    }

    const watch_options& how_;
    session& session_;
    line_changes changes_{};
};

} // namespace

void watch_options::add_to(CLI::App& app) {
    path_options::add_to(app);
    add_duration(app, "--every", every, "Look again after so long, 100ms at least. Default: 1s",
                 {.least = least_pause});
}

int watch(const watch_options& how) {
    return with_connection(how, [&](session& own) -> asio::awaitable<int> {
        line_watch line(how, own);
        co_await live_view(own, how.connection, line.follow());
        co_return static_cast<int>(exit_code::done);
    });
}

} // namespace turnstile::command
