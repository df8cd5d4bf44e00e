// SPDX-License-Identifier: BSL-1.0
// Where handlers run: on their own executor, which they keep at work, else on the session's.
#include "integration/token/token_operations.hpp"

TEST_CASE("handlers run on the session's executor if they have none") {
    run_all_operations("executor-none",
                       [](asio::io_context& context, probe::handler done, auto start) {
                           start([&context, done = std::move(done)](auto&&... result) mutable {
                               CHECK(context.get_executor().running_in_this_thread());
                               done(std::forward<decltype(result)>(result)...);
                           });
                       });
}

TEST_CASE("handlers run on another context and keep it at work while they wait") {
    asio::io_context elsewhere;
    run_all_operations(
        "executor-elsewhere",
        [&](asio::io_context& context, probe::handler done, auto start) {
            elsewhere.poll();
            start(asio::bind_executor(
                elsewhere, [&, done = std::move(done)](auto&&... result) mutable {
                    CHECK(elsewhere.get_executor().running_in_this_thread());
                    CHECK_FALSE(context.get_executor().running_in_this_thread());
                    done(std::forward<decltype(result)>(result)...);
                }));
            elsewhere.restart();
            elsewhere.poll();
            CHECK_FALSE(elsewhere.stopped()); // there is outstanding work
        },
        [&] { elsewhere.poll(); });
    elsewhere.poll();
    CHECK(elsewhere.stopped());
}
