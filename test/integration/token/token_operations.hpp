// SPDX-License-Identifier: BSL-1.0
// Every operation of the library once, with tokens of one style.
#pragma once

#include "integration/support/contract_probe.hpp"
#include "integration/support/fixture.hpp"

namespace turnstile::test {

/// `style(io_context, probe::handler, start)` calls `start(token)` with a token that ends in the
/// handler. `meanwhile` is called again and again while an operation is waited for.
template <class Style, class Meanwhile>
void run_all_operations(const std::string& name, Style style, Meanwhile meanwhile) {
    fixture f;
    session s{f.context, options_for()};
    const auto path = fresh_path(name);
    mutex lock{s, path};

    const auto finish = [&](auto start, probe& result) {
        style(f.context, result.make(), std::move(start));
        REQUIRE(result.calls() == 0);
        f.run_until([&] {
            meanwhile();
            return result.done();
        });
        CHECK(result.calls() == 1);
    };

    probe state;
    finish(
        [&](auto&& token) {
            s.wait_state_change(session_state::closed, std::forward<decltype(token)>(token));
        },
        state);
    CHECK(state.code() == error_code{});
    CHECK(state.state() == session_state::idle);

    probe connect;
    finish([&](auto&& token) { s.connect(std::forward<decltype(token)>(token)); }, connect);
    CHECK(connect.code() == error_code{});
    CHECK(s.state() == session_state::connected);

    probe acquire;
    finish([&](auto&& token) { lock.acquire(std::forward<decltype(token)>(token)); }, acquire);
    CHECK(acquire.code() == error_code{});
    CHECK(acquire.lock().is_held());

    probe busy;
    finish([&](auto&& token) { lock.try_acquire(std::forward<decltype(token)>(token)); }, busy);
    CHECK(busy.code() == error::would_block);
    CHECK_FALSE(busy.lock());

    probe late;
    finish(
        [&](auto&& token) {
            lock.acquire_for(std::chrono::milliseconds{1}, std::forward<decltype(token)>(token));
        },
        late);
    CHECK(late.code() == error::timeout);
    CHECK_FALSE(late.lock());

    probe lost;
    style(f.context, lost.make(),
          [&](auto&& token) { acquire.lock().wait_lost(std::forward<decltype(token)>(token)); });
    probe risk;
    style(f.context, risk.make(),
          [&](auto&& token) { acquire.lock().wait_at_risk(std::forward<decltype(token)>(token)); });
    probe release;
    finish([&](auto&& token) { acquire.lock().release(std::forward<decltype(token)>(token)); },
           release);
    CHECK(release.code() == error_code{});
    f.run_until([&] {
        meanwhile();
        return lost.done() && risk.done();
    });
    CHECK(lost.code() == error::released);
    CHECK(risk.code() == error::released);
    // The create of the late one may have been answered after the release was sent.
    f.run_until([&] {
        meanwhile();
        return children_of(path).empty();
    });

    probe close;
    finish([&](auto&& token) { s.close(std::forward<decltype(token)>(token)); }, close);
    CHECK(close.code() == error_code{});
    CHECK(s.state() == session_state::closed);
    f.run_out();
    CHECK(lost.calls() + late.calls() + busy.calls() + connect.calls() == 4);
}

template <class Style>
void run_all_operations(const std::string& name, Style style) {
    run_all_operations(name, std::move(style), [] {});
}

} // namespace turnstile::test
