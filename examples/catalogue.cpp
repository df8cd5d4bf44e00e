// SPDX-License-Identifier: BSL-1.0
// Many read a catalogue at a time, one replaces it. The one who replaced it goes on as a reader,
// and nobody gets in between.
#include <boost/asio/awaitable.hpp>
#include <exception>
#include <iostream>
#include <turnstile.hpp>

boost::asio::awaitable<void> replace_and_read(turnstile::session& session) {
    turnstile::shared_mutex catalogue{session, "/locks/catalogue"};
    auto lock = co_await catalogue.acquire();
    std::cout << "writing, token " << lock.fencing_token() << '\n';
    co_await lock.downgrade();
    // Other readers come in now. A writer waits until the last reader has released.
    auto other = co_await catalogue.shared().acquire();
    std::cout << "reading, two at a time\n";
    co_await other.release();
    co_await lock.release();
}

int main(int argc, char** argv) try {
    turnstile::run_with_session({.servers = argc > 1 ? argv[1] : "127.0.0.1:2181"},
                                replace_and_read);
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
