// SPDX-License-Identifier: BSL-1.0
// Where coroutines run under a lock, and what they wait for.
#pragma once

#include "integration/support/cancel_support.hpp"

#include "support/foreign_client.hpp"
#include "support/session_book.hpp"

#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

namespace turnstile::test {

enum class blow { deleted, expired, closed, silence };

inline session_options quiet(const std::string& address) {
    auto options = options_for(address);
    options.log.level = log_level::none; // the loss is expected
    return options;
}

/// A session behind a proxy, and what may befall its lock.
struct with_lock_stage : fixture {
    std::string path = fresh_path("with-lock-loss");
    session_book seen;
    frame_proxy proxy{"127.0.0.1", shared_server().port(), &seen};
    session s{context, quiet(proxy.address())};
    mutex lock{s, path};
    bool inside = false;

    void strike(blow how) {
        if (how == blow::expired) {
            expire_session(shared_server().address(), seen.find(s.id()).value());
        } else if (how == blow::closed) {
            s.close([](error_code) {});
        } else if (how == blow::silence) {
            proxy.set_black_hole(true);
        } else {
            delete_tickets(path);
        }
    }
    void run_until_inside() {
        run_until([this] { return inside; });
    }
};

/// What a coroutine waits for until the test opens it, before or after the wait began.
class gate {
public:
    explicit gate(asio::io_context& context)
        : timer_(context, asio::steady_timer::time_point::max()) {}
    void open() { timer_.expires_at(asio::steady_timer::time_point::min()); }
    asio::awaitable<void> pass() {
        co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
    }

private:
    asio::steady_timer timer_;
};

inline asio::awaitable<void> for_ever() {
    asio::steady_timer never{co_await asio::this_coro::executor,
                             asio::steady_timer::time_point::max()};
    co_await never.async_wait(asio::use_awaitable);
}

template <class Awaitable>
asio::awaitable<error_code> code_of(Awaitable what) {
    try {
        co_await std::move(what);
        co_return error_code{};
    } catch (const boost::system::system_error& e) {
        co_return e.code();
    }
}

} // namespace turnstile::test
