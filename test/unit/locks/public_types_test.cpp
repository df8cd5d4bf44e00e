// What must compile, and what must not, of the public types.
#include "support/pch.hpp"

#include <turnstile.hpp>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cstdint>
#include <string>
#include <tuple>
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

// Lock objects are Asio's I/O objects: their executor type says which token is the default.
using awaitable_mutex = asio::use_awaitable_t<>::as_default_on_t<mutex>;
using tuple_mutex = asio::as_tuple_t<asio::use_awaitable_t<>>::as_default_on_t<shared_mutex>;
static_assert(std::is_same_v<mutex, basic_mutex<>>);
static_assert(std::is_same_v<mutex, mutex::rebind_executor<asio::any_io_executor>::other>);
static_assert(std::is_same_v<decltype(std::declval<awaitable_mutex&>().acquire()),
                             asio::awaitable<held_lock>>);
static_assert(std::is_same_v<decltype(std::declval<tuple_mutex&>().acquire_shared()),
                             asio::awaitable<std::tuple<error_code, held_lock>>>);
static_assert(std::is_constructible_v<awaitable_mutex, session&, std::string>);
static_assert(std::is_constructible_v<awaitable_mutex, mutex>);
static_assert(!std::is_constructible_v<awaitable_mutex, mutex&>);
static_assert(
    std::is_same_v<decltype(asio::use_awaitable_t<>::as_default_on(std::declval<mutex>())),
                   awaitable_mutex>);
static_assert(lockable<awaitable_mutex>);
using awaitable_semaphore = asio::use_awaitable_t<>::as_default_on_t<turnstile::semaphore>;
static_assert(std::is_same_v<decltype(std::declval<awaitable_semaphore&>().limit()),
                             asio::awaitable<std::uint32_t>>);
static_assert(std::is_same_v<decltype(std::declval<awaitable_semaphore&>().set_limit(2)),
                             asio::awaitable<void>>);
static_assert(
    std::is_same_v<decltype(std::declval<awaitable_semaphore&>().remove()), asio::awaitable<void>>);
static_assert(std::is_constructible_v<awaitable_semaphore, turnstile::semaphore>);

// What all kinds have in common is no lock by itself.
static_assert(!std::is_constructible_v<basic_lock_object<asio::any_io_executor>, mutex>);
static_assert(!std::is_destructible_v<basic_lock_object<asio::any_io_executor>>);
static_assert(!std::is_destructible_v<limit_operations<asio::any_io_executor>>);
static_assert(!std::is_constructible_v<awaitable_mutex, shared_mutex>);

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
    CHECK(completes<error_code, std::uint32_t>(context, [&](auto t) { gate.limit(std::move(t)); }));
    CHECK(completes<error_code>(context, [&](auto t) { nothing.release(std::move(t)); }));
    CHECK(completes<error_code>(context, [&](auto t) { nothing.lost(std::move(t)); }));
}

TEST_CASE("a lock object takes over another's path, and refuses as that one did") {
    asio::io_context context;
    session_options bad;
    bad.timeout = std::chrono::milliseconds{0};
    session s{context, bad};
    awaitable_mutex lock{mutex{s, "/l"}};
    CHECK(lock.path() == "/l");
    CHECK(lock.get_executor() == context.get_executor());
    CHECK(completes<error_code, held_lock>(context, [&](auto t) { lock.acquire(std::move(t)); }));
}
