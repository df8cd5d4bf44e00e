// SPDX-License-Identifier: BSL-1.0
// Two accounts are locked together. Transfers in both directions at once never wait for each other
// for ever.
#include <boost/asio/awaitable.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <exception>
#include <iostream>
#include <string>
#include <turnstile.hpp>

namespace asio = boost::asio;

asio::awaitable<void> transfer(turnstile::session& session, std::string from, std::string to) {
    turnstile::mutex source{session, "/accounts/" + from};
    turnstile::mutex target{session, "/accounts/" + to};
    turnstile::multi_lock both{source, target};
    auto lock = co_await both.acquire(); // all parts, or none
    std::cout << "from " << from << " to " << to << '\n';
    for (const auto& token :
         lock.fencing_tokens()) // a token for each account, in the order of the parts
        std::cout << "  token " << token << '\n';
    co_await lock.release();
}

asio::awaitable<void> transfer_both_ways(turnstile::session& session) {
    using namespace asio::experimental::awaitable_operators;
    co_await (transfer(session, "alice", "bob") && transfer(session, "bob", "alice"));
}

int main(int argc, char** argv) try {
    turnstile::run_with_session({.servers = argc > 1 ? argv[1] : "127.0.0.1:2181"},
                                transfer_both_ways);
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
