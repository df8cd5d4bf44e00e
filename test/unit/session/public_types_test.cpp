// SPDX-License-Identifier: BSL-1.0
// What must compile, and what must not, of the public types.
#include "support/pch.hpp"

#include <turnstile.hpp>

#include <boost/asio/any_completion_handler.hpp>

namespace asio = boost::asio;
using namespace turnstile;

// A session is made on a context or an executor, never from another session's executor by mistake.
static_assert(std::is_constructible_v<session, asio::io_context&>);
static_assert(std::is_constructible_v<session, asio::thread_pool&, session_options>);
static_assert(std::is_constructible_v<session, asio::any_io_executor>);
static_assert(std::is_constructible_v<session, asio::io_context::executor_type>);
static_assert(std::is_constructible_v<session, asio::strand<asio::any_io_executor>>);
static_assert(std::is_constructible_v<session, session>);
static_assert(!std::is_constructible_v<session, session&>);
static_assert(!std::is_constructible_v<session, const session&>);
static_assert(!std::is_constructible_v<session, mutex&>);
static_assert(!std::is_constructible_v<session, asio::steady_timer&>);

// Locks are moved, and not copied: the end of one cancels its operations. Views are values.
static_assert(std::is_move_constructible_v<mutex> && std::is_move_assignable_v<mutex>);
static_assert(!std::is_copy_constructible_v<mutex> && !std::is_copy_assignable_v<mutex>);
static_assert(!std::is_copy_constructible_v<multi_lock>);
static_assert(!std::is_constructible_v<mutex, shared_mutex>);
static_assert(std::is_copy_constructible_v<lock_view> && std::is_copy_assignable_v<lock_view>);

// Each kind of lock is a part of a multi_lock, but for a multi_lock itself.
static_assert(std::is_convertible_v<const mutex&, lock_view>);
static_assert(std::is_convertible_v<const single_node_mutex&, lock_view>);
static_assert(!std::is_constructible_v<lock_view, multi_lock&>);
static_assert(std::is_constructible_v<multi_lock, mutex&, lock_view, turnstile::semaphore&>);
static_assert(!std::is_constructible_v<multi_lock, multi_lock&>);

static_assert(lockable<mutex> && lockable<multi_lock> && lockable<lock_view>);

// What all kinds have in common is no lock by itself.
static_assert(!std::is_constructible_v<path_lock, mutex>);
static_assert(!std::is_destructible_v<path_lock>);
static_assert(!std::is_destructible_v<lock_base<detail::lock_object>>);

namespace {

// A handler whose type the caller does not know, as in a compiled interface.
template <class... Args, class Start>
bool completes(asio::io_context& context, Start start) {
    bool done = false;
    const auto executor = context.get_executor();
    start(asio::any_completion_handler<void(Args...)>(
        asio::bind_executor(executor, [&, executor](const Args&...) {
            CHECK(executor.running_in_this_thread());
            done = true;
        })));
    CHECK_FALSE(done); // never inline
    context.restart();
    context.run();
    return done;
}

} // namespace

TEST_CASE("every operation takes a type-erased handler") {
    asio::io_context context;
    session_options bad;
    bad.timeout = std::chrono::milliseconds{0}; // each operation is refused without any I/O
    session s{context, bad};
    mutex lock{s, "/l"};
    held_lock nothing;
    const auto limit = std::chrono::milliseconds{1};
    CHECK(completes<error_code>(context, [&](auto t) { s.connect(std::move(t)); }));
    CHECK(completes<error_code>(context, [&](auto t) { s.close(std::move(t)); }));
    CHECK(completes<error_code, session_state>(
        context, [&](auto t) { s.wait_state_change(session_state::idle, std::move(t)); }));
    CHECK(completes<error_code, held_lock>(context, [&](auto t) { lock.acquire(std::move(t)); }));
    CHECK(
        completes<error_code, held_lock>(context, [&](auto t) { lock.try_acquire(std::move(t)); }));
    CHECK(completes<error_code, held_lock>(context,
                                           [&](auto t) { lock.acquire_for(limit, std::move(t)); }));
    turnstile::semaphore gate{s, "/s"};
    CHECK(completes<error_code>(context, [&](auto t) { gate.set_limit(2, std::move(t)); }));
    CHECK(completes<error_code>(context, [&](auto t) { gate.remove(std::move(t)); }));
    CHECK(completes<error_code, std::uint32_t>(context,
                                               [&](auto t) { gate.get_limit(std::move(t)); }));
    CHECK(completes<error_code>(context, [&](auto t) { nothing.release(std::move(t)); }));
    CHECK(completes<error_code>(context, [&](auto t) { nothing.wait_lost(std::move(t)); }));
}
