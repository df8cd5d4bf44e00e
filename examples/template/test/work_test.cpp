// SPDX-License-Identifier: BSL-1.0
// Tests without a server: the session talks to a model of ZooKeeper in this process, and time moves
// where the test says so. Any test framework will do: this one has none.
#include "work.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/system/system_error.hpp>
#include <chrono>
#include <exception>
#include <iostream>
#include <turnstile/testing.hpp>

using namespace std::chrono_literals;

namespace {

struct work_under_test {
    boost::asio::io_context context;
    turnstile::testing::ensemble servers{context};
    turnstile::session session{context};
    turnstile::mutex lock{session, "/locks/orders"};
    bool ended = false;
    turnstile::error_code failure; // where it ended with one

    void start() {
        boost::asio::co_spawn(context, work_under_lock(lock), [this](std::exception_ptr thrown) {
            ended = true;
            try {
                if (thrown)
                    std::rethrow_exception(thrown);
            } catch (const boost::system::system_error& e) {
                failure = e.code();
            }
        });
        servers.settle();
    }
};

bool all_as_it_should_be = true;

void check(bool truth, const char* what) {
    if (!truth)
        std::cerr << "not so: " << what << '\n';
    all_as_it_should_be = all_as_it_should_be && truth;
}

void waits_for_its_turn() {
    work_under_test test;
    const auto somebody = test.servers.stranger("/locks/orders");
    test.start();
    test.servers.advance(1h);
    check(!test.ended, "it waits while somebody else holds the lock");
    test.servers.delete_node(somebody);
    check(test.ended && !test.failure, "it works when the lock is free");
    check(test.servers.children("/locks/orders").empty(), "it releases the lock");
}

void gives_up_without_a_server() {
    work_under_test test;
    test.servers.stop_server();
    test.start();
    test.servers.advance(1min);
    check(test.ended && test.failure == turnstile::error::unreachable,
          "without a server it ends, and says why");
}

} // namespace

int main() {
    waits_for_its_turn();
    gives_up_without_a_server();
    return all_as_it_should_be ? 0 : 1;
}
