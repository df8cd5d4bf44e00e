// The main function of the examples: a session, and a coroutine that works with it. The program
// ends when the coroutine has closed the session.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>
#include <iostream>
#include <turnstile.hpp>

/// The servers are the first argument of the program, else those of this host. Returns the exit
/// code.
inline int run_with_session(int argc, char** argv,
                            boost::asio::awaitable<void> (*work)(turnstile::session&)) try {
    boost::asio::io_context context;
    turnstile::session session{context, {.servers = argc > 1 ? argv[1] : "127.0.0.1:2181"}};
    boost::asio::co_spawn(context, work(session), [](std::exception_ptr e) {
        if (e)
            std::rethrow_exception(e);
    });
    context.run();
    return 0;
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
