// SPDX-License-Identifier: BSL-1.0
#include "taking/lock_taker.hpp"

#include "command_failure.hpp"
#include "program/surrounding_locks.hpp"
#include "text/holder_text.hpp"
#include "text/outcome.hpp"
#include "text/quietly.hpp"
#include "text/say.hpp"
#include "text/waiting_line.hpp"
#include "verbs/path_command.hpp"

#include <turnstile/with_diagnostics.hpp>

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <fmt/core.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <utility>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

waiting_line::manner manner_of(const lock_options& how) {
    if (how.quiet)
        return waiting_line::manner::silent;
    if (how.connection.verbose) // its other lines would run into a live one
        return waiting_line::manner::once;
    if (::isatty(STDERR_FILENO) != 1)
        return waiting_line::manner::late;
    const char* const terminal = std::getenv("TERM");
    return terminal == nullptr || std::string_view(terminal) == "dumb" ? waiting_line::manner::once
                                                                       : waiting_line::manner::live;
}

} // namespace

void check_not_within(const lock_options& how) {
    const auto& lock = how.lock;
    if (lock.permits == 0 && !lock.is_try() &&
        is_held_above({how.connection.servers, lock.path, lock.shared}))
        throw command_failure(
            exit_code::bad_usage,
            fmt::format("the lock {} is held by a turnstile around this one\n"
                        "This one would wait for itself. Leave it out here, or name another path.",
                        lock.path));
}

lock_taker::lock_taker(const lock_options& how, session& own, session_listener on_session)
    : how_(how),
      session_(own),
      wanted_(own, how.lock),
      on_session_(std::move(on_session)),
      asked_(own.get_executor(), asio::steady_timer::time_point::max()) {}

asio::awaitable<std::variant<held_lock, int>> lock_taker::take() {
    using namespace asio::experimental::awaitable_operators;
    std::variant<held_lock, int> result;
    const auto taking = [&]() -> asio::awaitable<void> { result = co_await try_to_take(); };
    const auto first = co_await (outcome_of(taking()) || asked_.async_wait(quietly));
    done_ = true;
    if (stopped_)
        co_return *stopped_;
    if (const auto failure = std::get<0>(first))
        std::rethrow_exception(failure);
    co_return std::move(result);
}

void lock_taker::stop(int code) {
    if (done_)
        return;
    stopped_ = code;
    asked_.expires_at(asio::steady_timer::time_point::min());
}

asio::awaitable<std::variant<held_lock, int>> lock_taker::try_to_take() {
    const auto& path = how_.lock.path;
    co_await check_path(session_, how_.connection, path);
    diagnostics told;
    const auto [failed] = co_await session_.connect(with_diagnostics(told, quietly));
    if (failed)
        throw failure_of(failed, told, how_.connection, path);
    co_await warn_of_rights(session_, how_.connection, path);
    auto [why, lock] = co_await acquire(told);
    const bool others_have_it = !why && !lock;
    if (others_have_it || why == error::timeout)
        co_return co_await not_acquired(told);
    if (why) {
        const auto node = co_await denied_node(session_, why, path);
        throw failure_of(why, told, how_.connection, node);
    }
    if (on_session_)
        on_session_(session_.key());
    co_return std::move(lock);
}

asio::awaitable<std::tuple<error_code, held_lock>> lock_taker::acquire(diagnostics& told) {
    using namespace asio::experimental::awaitable_operators;
    waiting_line line(wanted_, session_, how_.lock.path, manner_of(how_));
    auto first = co_await (wanted_.acquire(told, began_) || line.keep() || follow_session());
    co_return std::move(std::get<0>(first));
}

asio::awaitable<void> lock_taker::follow_session() {
    auto known = session_.state();
    for (error_code failed; !failed;) {
        if (on_session_)
            on_session_(session_.key());
        std::tie(failed, known) = co_await session_.wait_state_change(known, quietly);
    }
}

asio::awaitable<int> lock_taker::not_acquired(const diagnostics& told) {
    if (session_.state() != session_state::connected)
        throw failure_of(error::unreachable, told, how_.connection, how_.lock.path);
    if (!how_.quiet) {
        auto line = co_await wanted_.list_participants(2);
        // The own ticket may still be there, with its deletion on the way.
        std::erase_if(line, [id = session_.id()](const participant& each) {
            return each.session_id == id || each.known == participant::knowledge::gone;
        });
        const bool is_held = std::ranges::any_of(line, &participant::holds);
        say(fmt::format("not acquired: {} {}", how_.lock.path,
                        is_held ? "is " + holder_text(line) : "was not granted in that time"));
    }
    co_return how_.conflict_code;
}

} // namespace turnstile::command
