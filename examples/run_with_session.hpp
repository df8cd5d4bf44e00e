// SPDX-License-Identifier: BSL-1.0
// The main function of the examples: a session, and a coroutine that works with it. The program
// ends with that coroutine.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>
#include <functional>
#include <iostream>
#include <turnstile.hpp>
#include <utility>

/// The servers are the first argument of the program, else those of this host. Returns the exit
/// code.
inline int
run_with_session(int argc, char** argv,
                 const std::function<boost::asio::awaitable<void>(turnstile::session&)>& work,
                 turnstile::session_options options = {}) try {
    if (argc > 1)
        options.servers = argv[1];
    boost::asio::io_context context;
    turnstile::session session{context, std::move(options)};
    boost::asio::co_spawn(context, work(session), [&](std::exception_ptr failure) {
        if (failure) // leaves run(); the destructor of the session ends it at the server
            std::rethrow_exception(failure);
        context.stop(); // ends what clients have left open
    });
    context.run();
    return 0;
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
