// SPDX-License-Identifier: BSL-1.0
// The main function of these programs: what a session and a coroutine come to, as an exit code.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <exception>
#include <functional>
#include <iostream>
#include <turnstile.hpp>
#include <utility>

/// The servers are the first argument of the program, if there is one.
inline int
exit_code_of(int argc, char** argv,
             const std::function<boost::asio::awaitable<void>(turnstile::session&)>& work,
             turnstile::session_options options = {}) try {
    if (argc > 1)
        options.servers = argv[1];
    turnstile::run_with_session(std::move(options), work);
    return 0;
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
