// SPDX-License-Identifier: BSL-1.0
#include "commands.hpp"

#include "command_failure.hpp"
#include "options/duration_option.hpp"
#include "program/ticket_program.hpp"
#include "text/holder_text.hpp"
#include "text/human_text.hpp"
#include "text/line_text.hpp"
#include "text/outcome.hpp"
#include "text/output.hpp"
#include "verbs/live_view.hpp"

#include <nlohmann/json.hpp>

#include <CLI/App.hpp>

#include <fmt/core.h>

#include <chrono>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

constexpr std::size_t most = 50; // how many are shown with details, from the first on
// Each look costs the servers up to 51 answers.
constexpr std::chrono::milliseconds least_pause{100};

struct line_change {
    std::string_view what; ///< "left", "holds" or "waits"
    participant who{};
};

/// Looks at one line again and again.
class line_watch {
public:
    line_watch(const watch_options& how, session& own) : how_(how), session_(own) {}

    asio::awaitable<void> follow() {
        for (;; co_await pause_for(how_.every))
            co_await look();
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
        for (const auto& each : changes_to(std::move(line)))
            tell(each);
    }

    /// Since the last look: who has left, who holds now, who waits now.
    std::vector<line_change> changes_to(std::vector<participant> line) {
        std::vector<line_change> holds;
        std::vector<line_change> waits;
        std::map<std::string, participant> now;
        for (auto& each : line) {
            if (each.known == participant::knowledge::gone || is_stray(each))
                continue; // it left while it was asked about, or never was in line
            auto before = known_.extract(each.node);
            if (before.empty() || before.mapped().holds != each.holds)
                (each.holds ? holds : waits).push_back({each.holds ? "holds" : "waits", each});
            auto name = each.node;
            // Far behind in a line a look does not ask for details: keep the known ones.
            if (!before.empty() && each.known != participant::knowledge::answered &&
                before.mapped().known == participant::knowledge::answered) {
                before.mapped().holds = each.holds;
                each = std::move(before.mapped());
            }
            now.emplace(std::move(name), std::move(each));
        }
        std::vector<line_change> result;
        for (auto& [name, who] : known_)
            result.push_back({"left", std::move(who)});
        known_ = std::move(now);
        for (auto* const part : {&holds, &waits})
            result.insert(result.end(), std::make_move_iterator(part->begin()),
                          std::make_move_iterator(part->end()));
        return result;
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
    std::map<std::string, participant> known_{}; // the line of the last look, by ticket
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
