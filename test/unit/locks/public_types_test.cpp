// What must compile, and what must not, of the public types.
#include "support/pch.hpp"

#include <turnstile.hpp>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>

#include <type_traits>
#include <utility>

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
    CHECK(completes<error_code>(context, [&](auto t) { nothing.release(std::move(t)); }));
    CHECK(completes<error_code>(context, [&](auto t) { nothing.lost(std::move(t)); }));
}
