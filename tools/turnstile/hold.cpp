// SPDX-License-Identifier: BSL-1.0
#include "hold.hpp"

#include "lock_until_end.hpp"
#include "outcome.hpp"
#include "output.hpp"

#include <turnstile/run_with_session.hpp>

namespace turnstile::command {

namespace asio = boost::asio;

int hold(const lock_options& how) {
    check_not_within(how);
    ignore_output_signals();
    int signal = 0;
    const int code = run_with_session(how.for_session(), [&](session& own) -> asio::awaitable<int> {
        lock_until_end section(how, own);
        const int result = co_await section.run([&](held_lock& lock) -> asio::awaitable<void> {
            auto line = (how.lock.permits == 0 ? lock.fencing_token().str() : "") + '\n';
            co_await print_patiently(line);
            co_await never();
        });
        signal = section.signal();
        co_return result;
    });
    return signal != 0 && code == signalled_by(signal) ? end_by(signal) : code;
}

} // namespace turnstile::command
