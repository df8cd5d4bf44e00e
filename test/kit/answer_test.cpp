// SPDX-License-Identifier: BSL-1.0
// The rest of what the test kit lets a test do: keep answers back, put a stranger in line, and move
// time. And that all kinds of lock, coroutines and the end of a program work on its model.
#include "kit_fixture.hpp"

#include "support/temp_folder.hpp"
#include "support/unique_fd.hpp"

#include <sys/socket.h>
#include <sys/un.h>

TEST_CASE("an acquire whose answer is held completes when it is let through") {
    kit_fixture f;
    f.learn_path();
    f.servers.hold_answers(f.first);
    kit_fixture::outcome result;
    kit_fixture::acquire(f.orders, result);
    f.servers.settle();
    CHECK_FALSE(result.code);
    CHECK(f.servers.children("/locks/orders").size() == 1); // the ticket is made
    f.servers.let_answers_through(f.first);
    CHECK(result.lock.is_held());
}

TEST_CASE("an acquire that is cancelled while its answer is held leaves nothing behind") {
    kit_fixture f;
    f.learn_path();
    f.servers.hold_answers(f.first);
    std::optional<error_code> code;
    asio::cancellation_signal stop;
    f.orders.acquire(asio::bind_cancellation_slot(
        stop.slot(), [&](error_code error, const held_lock&) { code = error; }));
    f.servers.settle();
    stop.emit(asio::cancellation_type::terminal);
    f.servers.settle();
    CHECK(code == asio::error::operation_aborted);
    f.servers.let_answers_through(f.first);
    CHECK(f.servers.children("/locks/orders").empty());
}

TEST_CASE("a new list of servers is in use at once, and leads to the modelled server") {
    kit_fixture f;
    (void)f.acquire_orders();
    CHECK_FALSE(f.first.set_servers("zk9:2181"));
    f.servers.settle();
    CHECK(f.first.key().servers == "zk9:2181");
    CHECK(f.acquire_orders().is_held());
}

TEST_CASE("after an exception of a handler a test goes on, and moves time") {
    kit_fixture f;
    f.orders.acquire([](error_code, const held_lock&) { throw std::runtime_error("a handler's"); });
    CHECK_THROWS_AS(f.servers.advance(1s), std::runtime_error);
    f.servers.advance(2s);
    CHECK(f.acquire_orders().is_held());
}

TEST_CASE("a stranger in line is waited for until it leaves") {
    kit_fixture f;
    const auto stranger = f.servers.stranger("/locks/orders");
    kit_fixture::outcome result;
    kit_fixture::acquire(f.orders, result);
    f.servers.advance(1min);
    CHECK_FALSE(result.code);
    f.servers.delete_node(stranger);
    CHECK(result.lock.is_held());
}

TEST_CASE("a time limit passes in the test's time") {
    kit_fixture f;
    const auto lock = f.acquire_orders();
    std::optional<error_code> code;
    f.same_orders.acquire_for(10s, [&](error_code error, const held_lock&) { code = error; });
    f.servers.advance(9s);
    CHECK_FALSE(code);
    f.servers.advance(2s);
    CHECK(code == error::timeout);
}

TEST_CASE("the lease's clock is the test's clock") {
    kit_fixture f;
    const auto lock = f.acquire_orders();
    const auto before = lease_clock::now();
    CHECK(before == f.servers.now());
    f.servers.advance(1h);
    CHECK(lease_clock::now() - before >= 1h);
    CHECK(lease_clock::now() - before < 1h + 1s); // answers take microseconds
    CHECK(lock.is_held());
    CHECK(lock.deadline() > lease_clock::now());
}

TEST_CASE("a coroutine of the context drives the ensemble, too") {
    kit_fixture f;
    bool done = false;
    asio::co_spawn(
        f.context,
        [&]() -> asio::awaitable<void> {
            auto lock = co_await f.orders.acquire(asio::use_awaitable);
            f.servers.delete_ticket(lock);
            CHECK_FALSE(lock.is_held());
            co_await f.first.close(asio::use_awaitable);
            done = true;
        },
        asio::detached);
    f.servers.settle();
    CHECK(done);
}

TEST_CASE("a program that closes its sessions ends its run") {
    kit_fixture f;
    auto lock = f.acquire_orders();
    lock = {};
    f.first.close([](error_code) {});
    f.second.close([](error_code) {});
    CHECK(f.context.run() > 0); // it returns, although no test drives the ensemble
}

TEST_CASE("the other kinds of lock stand on the model as well") {
    kit_fixture f;
    shared_mutex catalogue{f.first, "/locks/catalogue"};
    semaphore calls{f.second, "/locks/calls", 2}; // two at a time
    single_node_mutex door{f.first, "/locks/door"};
    std::vector<held_lock> locks;
    const auto keep = [&](error_code error, held_lock lock) {
        CHECK_FALSE(error);
        locks.push_back(std::move(lock));
    };
    catalogue.shared().acquire(keep);
    catalogue.shared().acquire(keep);
    calls.acquire(keep);
    calls.acquire(keep);
    calls.acquire(keep); // waits
    door.acquire(keep);
    f.servers.settle();
    REQUIRE(locks.size() == 5); // all but the third permit
    for (auto& lock : locks)
        CHECK(lock.is_held());
    f.servers.expire(f.second);
    f.servers.advance(1s);
    CHECK(locks.size() == 6); // the third permit, in the next session
}

TEST_CASE("a second ensemble, a session that never connected and an empty lock are refused") {
    kit_fixture f;
    CHECK_THROWS_AS(testing::ensemble(f.context), std::logic_error);
    CHECK_THROWS_AS(f.servers.cut(f.second), std::invalid_argument);
    held_lock empty;
    CHECK_THROWS_AS(f.servers.delete_ticket(empty), std::invalid_argument);
}

TEST_CASE("a session of the kit's is not told to the host's guard") {
    kit_fixture f;
    const temp_folder folder{"turnstile-kit-"};
    const auto socket_path = (folder.path() / "guard").string();
    const unique_fd guard{::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    socket_path.copy(address.sun_path, sizeof address.sun_path - 1);
    REQUIRE(::bind(guard.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::listen(guard.get(), 1) == 0);
    session guarded{f.context, {.host_guard = socket_path}};
    mutex jobs{guarded, "/locks/jobs"};
    kit_fixture::outcome result;
    kit_fixture::acquire(jobs, result);
    f.servers.settle();
    CHECK(result.lock.is_held());
    CHECK(::accept(guard.get(), nullptr, nullptr) == -1); // no session has called
}
