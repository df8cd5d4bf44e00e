// SPDX-License-Identifier: BSL-1.0
// What the servers among the examples share: they take clients until SIGTERM or Ctrl-C.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <charconv>
#include <csignal>
#include <cstring>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

/// Whether a name that comes from outside may be a part of a lock path: in no case with a slash.
inline bool is_plain_name(std::string_view name) {
    constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    return !name.empty() && name.size() <= 100 &&
           name.find_first_not_of(plain) == std::string_view::npos;
}

/// A port of this host, which is the program's second argument; 0: one that is free.
inline boost::asio::ip::tcp::endpoint own_port(int argc, char** argv) {
    unsigned short port = 0;
    if (argc > 2) {
        const auto end = argv[2] + std::strlen(argv[2]);
        const auto [read, failed] = std::from_chars(argv[2], end, port);
        if (failed != std::errc{} || read != end)
            throw std::invalid_argument("the second argument is no port: " + std::string(argv[2]));
    }
    return {boost::asio::ip::make_address("127.0.0.1"), port};
}

/// Runs `talk(socket)` for each client, until the acceptor is closed. A client whose coroutine
/// throws ends alone.
template <class Talk>
boost::asio::awaitable<void> accept_clients(boost::asio::ip::tcp::acceptor& acceptor, Talk& talk) {
    const auto executor = co_await boost::asio::this_coro::executor;
    for (;;) {
        auto socket = co_await acceptor.async_accept(boost::asio::use_awaitable);
        boost::asio::co_spawn(executor, talk(std::move(socket)), [](std::exception_ptr failure) {
            try {
                if (failure)
                    std::rethrow_exception(failure);
            } catch (const std::exception& e) {
                std::cerr << "a client: " << e.what() << '\n';
            }
        });
    }
}

/// The same, until the program is told to end.
template <class Talk>
boost::asio::awaitable<void> serve_clients(boost::asio::ip::tcp::endpoint port, Talk talk) {
    const auto executor = co_await boost::asio::this_coro::executor;
    boost::asio::signal_set stop{executor, SIGINT, SIGTERM};
    boost::asio::ip::tcp::acceptor acceptor{executor, port};
    std::cout << "listening on " << acceptor.local_endpoint() << std::endl;
    using boost::asio::experimental::awaitable_operators::operator||;
    const auto first = // the other one is cancelled
        co_await (boost::asio::co_spawn(executor, accept_clients(acceptor, talk),
                                        boost::asio::as_tuple(boost::asio::use_awaitable)) ||
                  stop.async_wait(boost::asio::use_awaitable));
    if (first.index() == 0)
        std::rethrow_exception(std::get<0>(std::get<0>(first)));
}
