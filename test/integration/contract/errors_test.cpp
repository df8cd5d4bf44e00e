// SPDX-License-Identifier: BSL-1.0
// Errors that take a server, or its absence, each with its own code.
#include "integration/support/cancel_support.hpp"

#include "support/foreign_client.hpp"
#include "support/free_port.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>

#include <optional>
#include <string>
#include <vector>

namespace asio = boost::asio;
using namespace turnstile;
using namespace turnstile::test;

namespace {

using namespace std::chrono_literals;

session_options soon_unreachable(const std::string& servers) {
    auto options = options_for(servers);
    options.connect_timeout = 300ms;
    options.unreachable_limit = 300ms;
    options.log.level = log_level::none; // failures are expected
    return options;
}

std::string nobody() { return "127.0.0.1:" + std::to_string(free_port()); }

} // namespace

TEST_CASE("connect gives up after its time where nobody listens") {
    fixture f;
    session s{f.context, soon_unreachable(nobody())};
    CHECK(result_of(f, [&](auto t) { s.connect(std::move(t)); }) == error::connect_timeout);
    CHECK(s.state() == session_state::idle);
    CHECK(result_of(f, [&](auto t) { s.connect(std::move(t)); }) == error::connect_timeout);
    CHECK(result_of(f, [&](auto t) { s.close(std::move(t)); }) == error_code{});
}

TEST_CASE("connect gives up after its time where nobody answers, and may be called again") {
    fixture f;
    frame_proxy proxy{shared_server().port()};
    proxy.set_black_hole(true);
    session s{f.context, soon_unreachable(proxy.address())};
    CHECK(result_of(f, [&](auto t) { s.connect(std::move(t)); }) == error::connect_timeout);
    CHECK(s.state() == session_state::idle);
    proxy.set_black_hole(false);
    CHECK(result_of(f, [&](auto t) { s.connect(std::move(t)); }) == error_code{});
    CHECK(s.state() == session_state::connected);
}

TEST_CASE("connect gives up where somebody answers who is no ZooKeeper") {
    fixture f;
    asio::io_context context;
    asio::ip::tcp::acceptor listener{context, {asio::ip::address_v4::loopback(), 0}};
    asio::ip::tcp::socket peer{context};
    listener.async_accept(peer, [&](const error_code& failed) {
        if (!failed)
            asio::write(peer, asio::buffer(std::string("HTTP/1.1 400 Bad Request\r\n\r\n")));
    });
    session s{f.context,
              soon_unreachable("127.0.0.1:" + std::to_string(listener.local_endpoint().port()))};
    probe connect;
    s.connect(connect.make());
    f.run_until([&] {
        context.poll();
        return connect.done();
    });
    CHECK(connect.code() == error::connect_timeout);
}

TEST_CASE("the retry limit ends a connect and an acquire") {
    fixture f;
    auto options = soon_unreachable(nobody());
    options.connect_timeout = 1h;
    options.unreachable_limit = 1h;
    options.retry_limit = 3;
    options.longest_backoff = 50ms;
    session s{f.context, options};
    mutex lock{s, "/locks/unreached"};
    CHECK(result_of(f, [&](auto t) { s.connect(std::move(t)); }) == error::unreachable);
    CHECK(result_of(f, [&](auto t) { lock.acquire(std::move(t)); }) == error::unreachable);
}

TEST_CASE("an acquire waits for a server no longer than the limit") {
    fixture f;
    auto options = soon_unreachable(nobody());
    options.connect_timeout = 1h;
    session s{f.context, options};
    mutex lock{s, "/locks/unreached"};
    probe patient;
    lock.acquire(patient.make());
    const error_code unreachable = error::unreachable;
    CHECK(result_of(f, [&](auto t) { lock.acquire_for(50ms, std::move(t)); }) == unreachable);
    multi_lock both{lock};
    CHECK(result_of(f, [&](auto t) { both.acquire_for(50ms, std::move(t)); }) == unreachable);
    std::optional<error_code> asked;
    lock.participants_for(50ms, 1, [&](error_code code, const auto&) { asked = code; });
    f.run_until([&] { return asked.has_value(); });
    CHECK(*asked == unreachable);
    f.run_until([&] { return patient.done(); });
    CHECK(patient.code() == error::unreachable);
    CHECK(result_of(f, [&](auto t) { lock.try_acquire(std::move(t)); }) == error::unreachable);
}

TEST_CASE("a waiting acquire gives up when the servers have been gone for the limit") {
    fixture f;
    const auto path = fresh_path("unreachable");
    frame_proxy proxy{shared_server().port()};
    session other{f.context, options_for()};
    mutex theirs{other, path};
    auto held = acquire_now(f, theirs);
    session s{f.context, soon_unreachable(proxy.address())};
    mutex lock{s, path};
    probe acquire;
    lock.acquire(acquire.make());
    f.run_until([&] { return children_of(path).size() == 2; });
    proxy.set_outage(true);
    proxy.cut_all();
    f.run_until([&] { return acquire.done(); });
    CHECK(acquire.code() == error::unreachable);
    proxy.set_outage(false);
    f.run_until([&] { return children_of(path).size() == 1; });
}

TEST_CASE("a chroot that does not exist is told") {
    fixture f;
    session s{f.context, options_for(shared_server().address() + "/no/such/root")};
    mutex lock{s, "/locks/a"};
    CHECK(result_of(f, [&](auto t) { lock.acquire(std::move(t)); }) == error::no_chroot);
    mutex flat{s, "/a"};
    CHECK(result_of(f, [&](auto t) { flat.acquire(std::move(t)); }) == error::no_chroot);
    CHECK(children_of("/no").empty());
}

TEST_CASE("a chroot is where the lock paths begin") {
    fixture f;
    foreign_client client{shared_server().address()};
    REQUIRE(client.create("/tenant") == 0);
    REQUIRE(client.create("/tenant/a") == 0);
    session inside{f.context, options_for(shared_server().address() + "/tenant/a")};
    session outside{f.context, options_for()};
    mutex lock{inside, "/locks/orders"};
    mutex same{outside, "/tenant/a/locks/orders"};
    auto held = acquire_now(f, lock);
    CHECK(children_of("/tenant/a/locks/orders").size() == 1);
    probe waiting;
    same.acquire(waiting.make());
    f.run_until([&] { return children_of("/tenant/a/locks/orders").size() == 2; });
    probe behind;
    lock.acquire(behind.make());
    f.run_until([&] { return children_of("/tenant/a/locks/orders").size() == 3; });
    CHECK(waiting.pending());
    release_now(f, held);
    f.run_until([&] { return waiting.done(); });
    release_now(f, waiting.lock());
    f.run_until([&] { return behind.done(); });
    CHECK(behind.code() == error_code{});
    release_now(f, behind.lock());
}
