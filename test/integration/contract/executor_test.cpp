// SPDX-License-Identifier: BSL-1.0
// Where handlers run: on their own executor, which they keep at work, else on the session's.
#include "integration/token/token_operations.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/strand.hpp>

namespace asio = boost::asio;
using namespace turnstile;
using namespace turnstile::test;

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

TEST_CASE("a session works on a strand of its user") {
    fixture f;
    const auto strand = asio::make_strand(f.context);
    session s{strand, options_for()};
    mutex lock{s, fresh_path("executor-strand")};
    CHECK(s.get_executor() == asio::any_io_executor{strand});
    CHECK(lock.get_executor() == s.get_executor());
    held_lock held;
    bool done = false;
    lock.acquire([&](error_code code, held_lock got) {
        CHECK(strand.running_in_this_thread());
        CHECK(code == error_code{});
        held = std::move(got);
        CHECK(held.get_executor() == s.get_executor());
        held.release([&](error_code released) {
            CHECK(strand.running_in_this_thread());
            CHECK(released == error_code{});
            done = true;
        });
    });
    f.run_until([&] { return done; });
}
