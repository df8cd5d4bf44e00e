// SPDX-License-Identifier: BSL-1.0
// A unit test of a worker, with GoogleTest. docs/test_kit.md shows it.
#include "worker.hpp"

#include <turnstile/testing.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

using namespace std::chrono_literals;

class worker : public testing::Test {
protected:
    std::vector<std::string> journal;
    boost::asio::io_context context;
    turnstile::testing::ensemble servers{context};
    turnstile::session session{context};
    turnstile::mutex orders{session, "/locks/orders"};
};

TEST_F(worker, stops_in_time_when_no_server_can_be_reached) {
    boost::asio::co_spawn(context, work(orders, journal), boost::asio::detached);
    servers.settle();
    EXPECT_EQ(journal, std::vector<std::string>{"works"});

    servers.cut_off(session, 1min);
    servers.advance(15s); // a session timeout: now the lock may be another's
    EXPECT_EQ(journal, (std::vector<std::string>{"works", "stops"}));
}
