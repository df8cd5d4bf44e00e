// SPDX-License-Identifier: BSL-1.0
// Acquires that can be cancelled, and proofs that nothing is left of them.
#pragma once

#include "contract_probe.hpp"
#include "fixture.hpp"

#include "support/foreign_client.hpp"
#include "support/frame_proxy.hpp"

namespace turnstile::test {

inline const error_code aborted = boost::asio::error::operation_aborted;
/// Errors as values, in coroutines.
inline constexpr auto tried = boost::asio::as_tuple(boost::asio::use_awaitable);

/// A probe whose operation can be cancelled. The signal stays where it is.
struct cancellable : probe {
    boost::asio::cancellation_signal signal{};

    auto token() { return boost::asio::bind_cancellation_slot(signal.slot(), make()); }
    void cancel(boost::asio::cancellation_type type = boost::asio::cancellation_type::terminal) {
        signal.emit(type);
    }
};

/// For GENERATE.
inline auto every_cancellation_type() {
    using boost::asio::cancellation_type;
    return Catch::Generators::values(
        {cancellation_type::terminal, cancellation_type::partial, cancellation_type::total});
}

/// How an operation ends, once it has ended.
inline error_code end_of(fixture& f, const probe& of,
                         std::source_location where = std::source_location::current()) {
    f.run_until([&] { return of.done(); }, fixture::default_limit, where);
    return of.code();
}

/// What an operation comes to: `start(token)` starts it.
template <class Start>
error_code result_of(fixture& f, Start start) {
    probe result;
    start(result.make());
    f.run_until([&] { return result.done(); });
    CHECK(result.calls() == 1);
    return result.code();
}

/// Of a lock or a view.
template <class Lock>
held_lock acquire_now(fixture& f, Lock&& lock) {
    probe result;
    lock.acquire(result.make());
    f.run_until([&] { return result.done(); });
    REQUIRE(result.code() == error_code{});
    REQUIRE(result.lock().is_held());
    return std::move(result.lock());
}

inline void release_now(fixture& f, held_lock& lock) {
    probe result;
    lock.release(result.make());
    f.run_until([&] { return result.done(); });
    REQUIRE(result.code() == error_code{});
}

/// Takes one and gives it back.
inline void use_a_lock(fixture& f, const session_options& options) {
    session s{f.context, options};
    mutex lock{s, fresh_path("use")};
    auto held = acquire_now(f, lock);
    CHECK(held.fencing_token() != fencing_token{});
    release_now(f, held);
}

/// Acquires, until so many stand in line.
template <class Lock>
probe stand_in_line(fixture& f, Lock& lock, std::size_t count) {
    probe result;
    lock.acquire(result.make());
    f.run_until([&] { return children_of(lock.path()).size() == count; });
    return result;
}

/// Deletes all tickets, as an operator would, behind the library's back.
inline void delete_tickets(const std::string& path) {
    foreign_client other{shared_server().address()};
    for (const auto& node : children_of(path))
        REQUIRE(other.remove(path + '/' + node) == 0);
}

/// Who stands there.
template <class Lock>
std::vector<participant> line_of(fixture& f, Lock& lock, std::size_t most = 50) {
    std::optional<std::vector<participant>> result;
    lock.list_participants(most, [&](error_code why, std::vector<participant> found) {
        CHECK(why == error_code{});
        result = std::move(found);
    });
    f.run_until([&] { return result.has_value(); });
    return *result;
}

/// The session can still be used, another one is not kept out, and no ticket stays.
inline void check_nothing_left(fixture& f, session& own, const std::string& path) {
    session other{f.context, options_for()};
    mutex theirs{other, path};
    mutex ours{own, path};
    for (const auto lock : {&theirs, &ours}) {
        auto held = acquire_now(f, *lock);
        release_now(f, held);
    }
    f.run_until([&] { return children_of(path).empty(); });
}

/// Waits until the proxy has done what the rule says, with the context running.
inline void run_until_hit(fixture& f, const frame_proxy& proxy, rule_id rule, int times = 1) {
    f.run_until([&] { return proxy.hits(rule) >= times; });
}

/// Waits for the server alone: nothing is left to be run here.
inline void await_empty(const std::string& path) {
    const auto end = std::chrono::steady_clock::now() + fixture::default_limit;
    while (!children_of(path).empty())
        REQUIRE(std::chrono::steady_clock::now() < end);
}

} // namespace turnstile::test
