// SPDX-License-Identifier: BSL-1.0
#include "commands.hpp"

#include "program/shell_line.hpp"
#include "taking/lock_until_end.hpp"
#include "text/outcome.hpp"
#include "text/output.hpp"

#include <turnstile/run_with_session.hpp>

#include <CLI/App.hpp>

namespace turnstile::command {

namespace asio = boost::asio;

void section_options::add_to(CLI::App& app) {
    lock_options::add_to(app);
    add_loss_to(app);
}

int hold(const section_options& how) {
    check_not_within(how);
    ignore_output_signals();
    shell_line on_lost("--on-lost", how.on_lost);
    int signal = 0;
    const int code = run_with_session(how.for_session(), [&](session& own) -> asio::awaitable<int> {
        lock_until_end section(how, own, true, [&](const std::string& why) {
            on_lost.start({"TURNSTILE_LOCK=" + how.lock.path, "TURNSTILE_REASON=" + why});
        });
        const int result = co_await section.run([&](held_lock& lock) -> asio::awaitable<void> {
            // The line says that the lock is held. A semaphore's token orders no holders.
            auto line = (how.lock.permits == 0 ? lock.fencing_token().str() : "") + '\n';
            co_await print_patiently(line);
            co_await never();
        });
        signal = section.signal();
        co_await on_lost.wait();
        co_return result;
    });
    return signal != 0 && code == signalled_by(signal) ? end_by(signal) : code;
}

} // namespace turnstile::command
