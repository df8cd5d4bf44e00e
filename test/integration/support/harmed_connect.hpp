// SPDX-License-Identifier: BSL-1.0
// Sessions whose way to a server stands still while they make their connection. The proxy does that
// to the first connection.
#pragma once

#include "cancel_support.hpp"

#include "support/byte_proxy.hpp"

namespace turnstile::test {

/// Connections that are cut cost an attempt each, and the next one makes the session.
inline void check_cut_costs_an_attempt(fixture& f, byte_proxy& proxy,
                                       const session_options& options) {
    session s{f.context, options};
    probe connected;
    s.connect(connected.make());
    f.run_until([&] { return proxy.harmed() == 2; });
    proxy.do_harm(byte_proxy::harm::none);
    CHECK(end_of(f, connected) == error_code{});
    mutex lock{s, fresh_path("harmed")};
    auto held = acquire_now(f, lock);
    release_now(f, held);
}

/// The attempt is over when its time is, and the next one makes the session.
inline void check_stalled_attempt_is_left(fixture& f, byte_proxy& proxy, session_options options) {
    options.connect_timeout = std::chrono::seconds{30};
    session s{f.context, options};
    probe connected;
    s.connect(connected.make());
    f.run_until([&] { return proxy.harmed() == 1; });
    proxy.do_harm(byte_proxy::harm::none);
    CHECK(end_of(f, connected) == error_code{});
}

/// Closed or destroyed meanwhile, the session leaves nothing.
inline void check_ends_within_attempt(fixture& f, byte_proxy& proxy,
                                      const session_options& options) {
    std::optional<session> s{std::in_place, f.context, options};
    probe connected;
    s->connect(connected.make());
    f.run_until([&] { return proxy.harmed() == 1; });
    if (GENERATE(false, true)) {
        CHECK(result_of(f, [&](auto t) { s->close(std::move(t)); }) == error_code{});
    } else {
        s.reset();
    }
    CHECK(end_of(f, connected) == error::session_closed);
}

} // namespace turnstile::test
