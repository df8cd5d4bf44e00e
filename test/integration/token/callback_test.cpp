// SPDX-License-Identifier: BSL-1.0
// Completion tokens: callbacks and what adapts them.
#include "token_operations.hpp"

#include <boost/asio/append.hpp>
#include <boost/asio/as_tuple.hpp>

namespace asio = boost::asio;
using namespace turnstile;
using namespace turnstile::test;

TEST_CASE("every operation takes a move-only callback") {
    run_all_operations("move-only", [](asio::io_context&, probe::handler done, auto start) {
        start(std::move(done));
    });
}

TEST_CASE("every operation takes a callback by reference and copies it") {
    run_all_operations("lvalue", [](asio::io_context&, probe::handler done, auto start) {
        const auto shared = std::make_shared<probe::handler>(std::move(done));
        auto callback = [shared](error_code code, auto&&... rest) {
            (*shared)(code, std::forward<decltype(rest)>(rest)...);
        };
        start(callback);
        CHECK(shared.use_count() > 2);
    });
}

TEST_CASE("every operation takes a token adapted by as_tuple") {
    run_all_operations("as-tuple", [](asio::io_context&, probe::handler done, auto start) {
        // Shared, because as_tuple of Asio 1.26 copies a callback.
        const auto shared = std::make_shared<probe::handler>(std::move(done));
        start(asio::as_tuple([shared](auto result) { std::apply(*shared, std::move(result)); }));
    });
}

TEST_CASE("every operation takes a token adapted by append") {
    run_all_operations("append", [](asio::io_context&, probe::handler done, auto start) {
        start(asio::append(
            [done = std::move(done)](error_code code, auto&&... rest) mutable {
                auto all = std::forward_as_tuple(std::forward<decltype(rest)>(rest)...);
                constexpr auto last = sizeof...(rest) - 1;
                CHECK(std::get<last>(all) == 42);
                if constexpr (last == 0)
                    done(code);
                else
                    done(code, std::get<0>(std::move(all)));
            },
            42));
    });
}
