// SPDX-License-Identifier: BSL-1.0
// A leader that steps down cleanly: at SIGTERM it ends its work, writes down how far it came, and
// only then releases the lock. The next leader goes on from there.
//
//     hand_over SERVERS FILE
//
// The file stands for a database that all leaders share. (A database should compare fencing tokens:
// fenced_write.cpp.)
#include <boost/asio/awaitable.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>
#include <chrono>
#include <csignal>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>
#include <turnstile.hpp>
#include <unistd.h>

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

asio::awaitable<void> lead(turnstile::held_lock& lock, const std::string& file) {
    int done = read_progress(file);
    std::cout << getpid() << " leads, goes on from " << done << std::endl;
    try {
        co_await import_rows(done);
    } catch (const boost::system::system_error& e) {
        if (e.code() != asio::error::operation_aborted) // neither told to end, nor lost
            throw;
    }
    co_await asio::this_coro::reset_cancellation_state(); // from now on it can await again
    if (lock.is_held())
        co_await save(file, done); // a loss of the lock cancels it even here
}

asio::awaitable<void> take_part(turnstile::session& session, const std::string& file) {
    co_await session.connect(turnstile::with_diagnostics()); // no server: better told now
    turnstile::mutex leadership{session, "/leaders/import"};
    turnstile::exclusive_options how;
    how.stop_on = {SIGINT, SIGTERM};
    const auto work = [&](turnstile::held_lock& lock) { return lead(lock, file); };
    co_await turnstile::run_exclusively(leadership, work, how); // released: the next one leads
}

int main(int argc, char** argv) try {
    const std::string file = argc > 2 ? argv[2] : "import.progress";
    turnstile::run_with_session(
        {.servers = argc > 1 ? argv[1] : "127.0.0.1:2181"},
        [&](turnstile::session& session) { return take_part(session, file); });
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
