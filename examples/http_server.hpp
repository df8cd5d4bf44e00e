// SPDX-License-Identifier: BSL-1.0
// An HTTP server on Boost.Beast, as small as the examples need it.
#pragma once

#include "serve_clients.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <string>
#include <utility>

namespace http = boost::beast::http;
using http_request = http::request<http::string_body>;
using http_response = http::response<http::string_body>;

inline http_response http_text(http::status status, std::string text) {
    http_response response{status, 11};
    response.set(http::field::content_type, "text/plain");
    response.body() = std::move(text);
    return response;
}

/// Answers each request of a client with what the coroutine `answer(request)` returns.
template <class Answer>
boost::asio::awaitable<void> talk_http(boost::asio::ip::tcp::socket client, Answer answer) {
    boost::beast::tcp_stream stream{std::move(client)};
    boost::beast::flat_buffer received;
    for (bool more = true; more;) {
        http_request request;
        stream.expires_after(std::chrono::seconds(30));
        const auto [end, length] = co_await http::async_read(
            stream, received, request, boost::asio::as_tuple(boost::asio::use_awaitable));
        if (end)
            co_return; // the client has gone, or it does not speak HTTP
        stream.expires_never();
        http_response response = co_await answer(request);
        response.keep_alive(request.keep_alive());
        response.prepare_payload();
        more = response.keep_alive();
        stream.expires_after(std::chrono::seconds(30));
        co_await http::async_write(stream, response, boost::asio::use_awaitable);
    }
}

/// Serves HTTP on the port until the program is told to end.
template <class Answer>
boost::asio::awaitable<void> serve_http(boost::asio::ip::tcp::endpoint port, Answer answer) {
    co_await serve_clients(port, [answer](boost::asio::ip::tcp::socket client) {
        return talk_http(std::move(client), answer);
    });
}
