// SPDX-License-Identifier: BSL-1.0
// A leader that steps down cleanly: at SIGTERM it ends its work, writes down how far it came, and
// only then releases the lock. The next leader goes on from there.
//
//     hand_over SERVERS FILE
//
// The file stands for a database that all leaders share. (A database should compare fencing tokens:
// fenced_write.cpp.)
#include "first_of.hpp"
#include "run_with_session.hpp"

#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iostream>
#include <string>
#include <turnstile.hpp>

namespace asio = boost::asio;
using namespace std::chrono_literals;

int read_progress(const std::string& file) {
    int done = 0;
    std::ifstream{file} >> done;
    return done; // 0: nobody has written the file yet
}

asio::awaitable<void> import_rows(int& done) {
    asio::steady_timer effort{co_await asio::this_coro::executor};
    for (;;) {
        effort.expires_after(100ms);
        co_await effort.async_wait(asio::deferred);
        std::cout << "row " << ++done << std::endl;
    }
}

asio::awaitable<void> save(const std::string& file, int done) {
    asio::steady_timer database{co_await asio::this_coro::executor, 100ms};
    co_await database.async_wait(asio::deferred); // a loss of the lock ends it here
    std::ofstream{file} << done << '\n';
    std::cout << "saved " << done << std::endl;
}

asio::awaitable<void> lead(asio::signal_set& stop, const std::string& file) {
    int done = read_progress(file);
    std::cout << "leads, goes on from " << done << std::endl;
    // The signal cancels import_rows alone. This coroutine goes on, and still holds the lock.
    co_await first_of(import_rows(done), stop.async_wait(asio::use_awaitable));
    co_await save(file, done);
}

asio::awaitable<void> take_part(turnstile::session& session, const std::string& file) {
    asio::signal_set stop{co_await asio::this_coro::executor, SIGINT, SIGTERM};
    co_await session.connect(turnstile::with_diagnostics()); // no server: better told now
    turnstile::mutex leadership{session, "/leaders/import"};
    co_await turnstile::with_lock(leadership, [&] { return lead(stop, file); });
    co_await session.close(); // the lock is released already: the next one leads
}

int main(int argc, char** argv) {
    const std::string file = argc > 2 ? argv[2] : "import.progress";
    return run_with_session(argc, argv,
                            [&](turnstile::session& session) { return take_part(session, file); });
}
