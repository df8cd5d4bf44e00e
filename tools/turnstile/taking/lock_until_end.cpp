// SPDX-License-Identifier: BSL-1.0
#include "taking/lock_until_end.hpp"

#include "guard/guard_message.hpp"
#include "taking/release_lock.hpp"
#include "text/outcome.hpp"
#include "text/quietly.hpp"
#include "text/say.hpp"

#include <turnstile/error.hpp>

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <fmt/core.h>

#include <csignal>
#include <exception>
#include <utility>
#include <variant>

namespace turnstile::command {

namespace asio = boost::asio;

lock_until_end::lock_until_end(const lock_options& how, session& own, bool heeds_input,
                               loss_listener on_loss)
    : how_(how),
      session_(own),
      taker_(how, own),
      signals_(own.get_executor(), [this](int number, bool) { on_signal(number); }),
      on_loss_(std::move(on_loss)),
      asked_(own.get_executor(), asio::steady_timer::time_point::max()) {
    if (heeds_input)
        input_.emplace();
    // A stop by Ctrl-Z would lose the lock.
    for (const int each : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP})
        signals_.add(each);
}

asio::awaitable<int> lock_until_end::run(work under_lock) {
    using namespace asio::experimental::awaitable_operators;
    const auto first = co_await (outcome_of(hold(std::move(under_lock))) || follow_input());
    if (const auto failure = std::get<0>(first))
        std::rethrow_exception(failure);
    co_return code_;
}

asio::awaitable<void> lock_until_end::hold(work under_lock) {
    using namespace asio::experimental::awaitable_operators;
    const auto& path = how_.lock.path;
    auto taken = co_await taker_.take();
    if (const auto* const code = std::get_if<int>(&taken)) {
        code_ = *code;
        co_return;
    }
    auto lock = std::get<held_lock>(std::move(taken));
    // 0: the work has ended; 1: the end was asked for; 2: the lock was lost.
    const auto first = co_await (outcome_of(under_lock(lock)) || asked_.async_wait(quietly) ||
                                 lock.wait_lost(quietly));
    if (const auto* const failure = std::get_if<0>(&first); failure != nullptr && *failure)
        std::rethrow_exception(*failure);
    if (const auto* const loss = std::get_if<2>(&first)) {
        report_loss("is lost", std::get<0>(*loss));
    } else if (const auto why =
                   co_await release_lock(lock, path, session_.negotiated_timeout(), releasing_)) {
        report_loss("was lost before it was released: others may have held it meanwhile", why);
    } else {
        code_ = signal_ != 0 ? signalled_by(signal_) : 0;
    }
}

void lock_until_end::report_loss(const std::string& text, const error_code& why) {
    on_loss_(why.message());
    say(fmt::format("the lock {} {}\n({})", how_.lock.path, text, why.message()));
    code_ = static_cast<int>(loss_code(why));
}

asio::awaitable<void> lock_until_end::follow_input() {
    if (!input_)
        co_await never();
    co_await input_->wait();
    if (!taker_.is_done())
        say(fmt::format("the standard input ended before {} was acquired", how_.lock.path));
    ask_to_end(how_.conflict_code);
    co_await never();
}

void lock_until_end::on_signal(int number) {
    if (!asks_to_end(number))
        return;
    signal_ = number;
    ask_to_end(signalled_by(number));
    if (releasing_)
        releasing_->cancel();
}

void lock_until_end::ask_to_end(int code) {
    taker_.stop(code);
    asked_.cancel();
}

} // namespace turnstile::command
