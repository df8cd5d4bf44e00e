// SPDX-License-Identifier: BSL-1.0
// Unit tests of a worker and of a leader, with Catch2, as a user would write them. docs/test_kit.md
// shows two of them: "the limits below" in a comment are those of that page.
#include "support/pch.hpp"

#include "worker.hpp"

#include <turnstile/testing.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <string>
#include <vector>

using namespace std::chrono_literals;

TEST_CASE("the worker stops when its lock is lost") {
    std::vector<std::string> journal; // before the context: see the limits below
    boost::asio::io_context context;
    turnstile::testing::ensemble servers(context);
    turnstile::session session(context);
    turnstile::mutex orders(session, "/locks/orders");

    boost::asio::co_spawn(context, work(orders, journal), boost::asio::detached);
    servers.settle();
    CHECK(journal == std::vector<std::string>{"works"});

    servers.expire(session);
    CHECK(journal == std::vector<std::string>{"works", "stops"});
}

TEST_CASE("the worker waits while another program holds the lock") {
    std::vector<std::string> journal;
    boost::asio::io_context context;
    turnstile::testing::ensemble servers(context);
    turnstile::session session(context);
    turnstile::mutex orders(session, "/locks/orders");
    const auto stranger = servers.stranger("/locks/orders");

    boost::asio::co_spawn(context, work(orders, journal), boost::asio::detached);
    servers.advance(10min);
    CHECK(journal.empty());

    servers.delete_node(stranger);
    CHECK(journal == std::vector<std::string>{"works"});
}

TEST_CASE("the leader loses its lock, and leads again") {
    int terms = 0; // before the context, where a leader that has not ended goes
    boost::asio::io_context context;
    turnstile::testing::ensemble servers(context);
    turnstile::session session(context);
    turnstile::mutex leadership(session, "/leaders/reports");
    const auto lead = [&](turnstile::held_lock& lock) -> boost::asio::awaitable<void> {
        if (++terms == 1)
            servers.delete_ticket(lock); // here it is lost
        co_await lock.wait_lost();
    };
    boost::asio::co_spawn(context, run_exclusively(leadership, lead), boost::asio::detached);
    servers.settle();
    CHECK(terms == 2);
}
