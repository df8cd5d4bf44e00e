// SPDX-License-Identifier: BSL-1.0
// A holder whose connection can be taken away, and a waiter that stays.
#pragma once

#include "integration/support/fault_rig.hpp"
#include "support/frame_proxy.hpp"
#include "support/pch.hpp"

#include <turnstile.hpp>

namespace turnstile::test {

using std::chrono_literals::operator""s;

inline session_options short_session(const std::string& servers) { return impatient(servers, 2s); }

// One holder behind the proxy, one waiter that reaches the server directly.
struct lease_rig {
    const std::string path = fresh_path("lease");
    frame_proxy proxy{shared_server().port()};
    onlooker eyes{shared_server().address()};
    fixture f;
    session s;
    session direct{f.context, short_session(shared_server().address())};
    contender holder{s, path};
    contender waiter{direct, path};

    lease_rig() : s{f.context, short_session(proxy.address())} {
        acquire_now(f, holder);
        waiter.acquire();
        await_children(f, eyes, path, 2);
        const auto deadline = holder.lock.deadline();
        f.run_until([&] { return holder.lock.deadline() > deadline; }); // beats arrive
    }

    void check_that_loss_comes_first() {
        f.run_until([&] { return holder.loss && waiter.holds(); });
        CHECK(*holder.loss == error::lease_lost);
        CHECK(holder.lost_at < waiter.granted_at);
        CHECK(waiter.token > holder.token);
        CHECK_FALSE(holder.lock.is_held());
    }
};

} // namespace turnstile::test
