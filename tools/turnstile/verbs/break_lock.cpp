// SPDX-License-Identifier: BSL-1.0
#include "commands.hpp"

#include "command_failure.hpp"
#include "program/ticket_program.hpp"
#include "text/holder_text.hpp"
#include "text/human_text.hpp"
#include "text/line_text.hpp"
#include "text/output.hpp"
#include "text/printable.hpp"
#include "text/quietly.hpp"

#include <turnstile/mutex.hpp>
#include <turnstile/with_diagnostics.hpp>

#include <nlohmann/json.hpp>

#include <CLI/App.hpp>

#include <fmt/core.h>

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <iostream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

/// There is no ticket to delete.
command_failure no_ticket(const break_options& how) {
    return {exit_code::not_acquired, how.ticket.empty()
                                         ? fmt::format("nobody holds {}", how.path)
                                         : fmt::format("there is no ticket '{}' at {}\n"
                                                       "`turnstile show {}` tells the tickets.",
                                                       how.ticket, how.path, how.path)};
}

/// Returns the ticket that is to be deleted. Throws command_failure if the options name none or
/// several.
participant chosen_of(std::vector<participant> line, const break_options& how) {
    std::erase_if(line, [&](const participant& each) {
        return how.ticket.empty() ? !each.holds : each.node != how.ticket;
    });
    if (line.empty() || line.front().known == participant::knowledge::gone)
        throw no_ticket(how);
    if (line.size() > 1)
        throw command_failure(exit_code::bad_usage,
                              fmt::format("{} hold {}: say which with --ticket\n"
                                          "`turnstile show {}` tells the tickets.",
                                          line.size(), how.path, how.path));
    if (line.front().known != participant::knowledge::answered)
        throw failure_of(error::read_denied, {}, how.connection,
                         how.path + '/' + line.front().node);
    return std::move(line.front());
}

/// Names the ticket's process. (The ticket's name stands beside it.)
std::string owner_of(const participant& who) {
    if (is_stray(who))
        return "no session";
    return who.host.empty() ? program_of(who) : name_text(who);
}

/// The first words of the question: who does what.
std::string deed_of(const participant& who) {
    if (is_stray(who))
        return "A node that goes with no session stands at";
    return name_text(who) + (who.holds ? " holds" : " waits for");
}

/// Asks at the terminal, and returns whether the user agrees.
bool is_agreed(const participant& who, const break_options& how) {
    if (how.yes)
        return true;
    if (::isatty(STDIN_FILENO) != 1)
        throw command_failure(exit_code::bad_usage,
                              "nobody is there to agree\nSay --yes to do it all the same.");
    // The question is not for the standard output, which may be a file or another program's input.
    fmt::print(stderr,
               "{} {}. Its ticket is {} old.\n"
               "{}Delete its ticket {}? [y/N] ",
               deed_of(who), how.path, text_of(who.age()),
               who.holds ? "Its program may go on for a while, although others get the lock at "
                           "once.\n"
                         : "",
               printable(who.node));
    std::string answer;
    std::getline(std::cin, answer);
    std::ranges::transform(answer, answer.begin(),
                           [](unsigned char each) { return std::tolower(each); });
    return answer == "y" || answer == "yes";
}

} // namespace

void break_options::add_to(CLI::App& app) {
    path_options::add_to(app);
    app.add_option("--ticket", ticket,
                   "Not the holder's, but the one that `turnstile show` calls so")
        ->type_name("NAME");
    app.add_flag("-y,--yes", yes, "Do not ask whether you are sure");
}

// There is no session while the user thinks about the question.
int break_lock(const break_options& how) {
    participant who;
    with_connection(how, [&](session& own) -> asio::awaitable<int> {
        auto line = co_await line_at(own, how, std::numeric_limits<std::size_t>::max());
        who = chosen_of(std::move(line), how);
        co_return 0;
    });
    const bool agreed = is_agreed(who, how);
    if (agreed)
        with_connection(how, [&](session& own) -> asio::awaitable<int> {
            mutex lock(own, how.path);
            diagnostics diag;
            const auto [failed] = co_await lock.evict(who, with_diagnostics(diag, quietly));
            if (failed)
                throw failure_of(failed, diag, how.connection, how.path);
            co_return 0;
        });
    if (how.json)
        print(text_of({{"path", how.path}, {"ticket", who.node}, {"gone", agreed}}, 2));
    else
        print(fmt::format("{}: the ticket {} of {} {}\n", how.path, printable(who.node),
                          owner_of(who), agreed ? "is gone" : "stays"));
    return static_cast<int>(agreed ? exit_code::done : exit_code::not_acquired);
}

} // namespace turnstile::command
