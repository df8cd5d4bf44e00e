// A session's strand behaves as one on any_io_executor does, whatever executor the user gives.
#include "zookeeper/session_strand.hpp"

#include "support/pch.hpp"

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/execution.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace asio = boost::asio;
using turnstile::zookeeper::session_strand;

namespace {

constexpr auto never = asio::execution::blocking.never;
constexpr auto tracked = asio::execution::outstanding_work.tracked;

struct executors {
    asio::io_context context;
    // The context's own, one that always posts, and one that is hidden behind a strand of the
    // user's.
    std::vector<asio::any_io_executor> all{
        context.get_executor(), asio::require(context.get_executor(), never),
        asio::make_strand(context), asio::prefer(context.get_executor(), tracked)};
};

/// What runs when, where a function is handed over by another one that runs in the context.
template <class HandOver>
std::string order_of(asio::io_context& context, HandOver hand_over) {
    std::string order;
    asio::post(context, [&] {
        order += 'a';
        hand_over([&] { order += 'b'; });
        order += 'c';
    });
    context.restart();
    context.poll();
    return order;
}

} // namespace

TEST_CASE("a strand runs at once what is dispatched where its executor would") {
    executors of;
    for (std::size_t i = 0; i < of.all.size(); ++i) {
        INFO("executor " << i);
        const session_strand strand(of.all[i]);
        CHECK(order_of(of.context, [&](auto f) { asio::dispatch(of.all[i], f); }) ==
              order_of(of.context, [&](auto f) { asio::dispatch(strand, f); }));
    }
}

TEST_CASE("a strand never runs at once what is posted") {
    executors of;
    for (const auto& each : of.all) {
        const session_strand strand(each);
        CHECK(order_of(of.context, [&](auto f) { asio::post(strand, f); }) == "acb");
        CHECK(order_of(of.context, [&](auto f) {
                  asio::dispatch(strand, [&strand, f] { asio::post(strand, f); });
              }) == "acb");
    }
}

TEST_CASE("what is dispatched on the strand runs at once, unless the executor always posts") {
    executors of;
    for (std::size_t i = 0; i < of.all.size(); ++i) {
        const session_strand strand(of.all[i]);
        std::string order;
        asio::post(strand, [&] {
            CHECK(strand.running_in_this_thread());
            order += 'a';
            asio::dispatch(strand, [&] { order += 'b'; });
            order += 'c';
        });
        of.context.restart();
        of.context.poll();
        CHECK(order == (i == 1 ? "acb" : "abc"));
    }
}

TEST_CASE("a tracked strand keeps a foreign executor at work, and no other does") {
    executors of;
    const auto stops = [&] {
        of.context.restart();
        of.context.poll();
        return of.context.stopped();
    };
    of.all.pop_back(); // it keeps the context at work itself
    for (std::size_t i = 1; i < of.all.size(); ++i) {
        const session_strand strand(of.all[i]);
        CHECK(stops());
        std::optional<session_strand> working = asio::prefer(strand, tracked);
        CHECK(*working == strand);
        CHECK(stops() == (i == 1)); // an io_context's own, which posts
        const auto copy = asio::prefer(*working, tracked);
        const auto idle = asio::prefer(*working, asio::execution::outstanding_work.untracked);
        CHECK(idle == strand);
        working.reset();
        CHECK(stops() == (i == 1));
    }
    CHECK(stops());
}

TEST_CASE("an operation on a strand keeps its context at work") {
    executors of;
    for (const auto& each : of.all) {
        const session_strand strand(each);
        asio::basic_waitable_timer<std::chrono::steady_clock,
                                   asio::wait_traits<std::chrono::steady_clock>, session_strand>
            timer(strand, std::chrono::milliseconds(1));
        bool due = false;
        timer.async_wait([&](boost::system::error_code) {
            due = strand.running_in_this_thread();
            of.context.stop(); // one of the executors is work by itself
        });
        of.context.restart();
        of.context.run();
        CHECK(due);
    }
}

TEST_CASE("one thread at a time is in a strand, and none is forgotten") {
    constexpr int threads = 4;
    constexpr int each = 2'000;
    asio::thread_pool pool(threads);
    asio::io_context context(threads);
    // Destroyed here, after the threads: ThreadSanitizer knows no fences, and Asio counts with one.
    const std::vector<asio::any_io_executor> all{context.get_executor(), pool.get_executor(),
                                                 asio::make_strand(pool)};
    const auto working = asio::make_work_guard(context);
    std::vector<std::future<void>> runs;
    for (int i = 0; i < threads; ++i)
        runs.push_back(std::async(std::launch::async, [&] { context.run(); }));
    for (const auto& plain : all) {
        const session_strand strand(plain);
        int inside = 0; // by one thread at a time
        std::promise<void> done;
        std::vector<std::future<void>> callers;
        const auto count = [&] {
            if (++inside == 2 * threads * each)
                done.set_value();
        };
        for (int i = 0; i < threads; ++i)
            callers.push_back(std::async(std::launch::async, [&] {
                for (int j = 0; j < each; ++j) {
                    asio::post(plain, [&] { asio::dispatch(strand, count); });
                    asio::dispatch(strand, [&] { asio::dispatch(strand, count); });
                }
            }));
        CHECK(done.get_future().wait_for(std::chrono::minutes(1)) == std::future_status::ready);
    }
    context.stop();
    pool.join();
}

TEST_CASE("what throws leaves the strand to the others") {
    asio::io_context context;
    const session_strand strand{asio::any_io_executor(context.get_executor())};
    std::string order;
    asio::post(strand, [] { throw std::runtime_error("no memory"); });
    asio::post(strand, [&] { order += 'a'; });
    asio::post(context, [&] {
        asio::dispatch(strand, [&] { order += 'b'; }); // behind what waits
        order += 'c';
    });
    CHECK_THROWS_AS(context.poll(), std::runtime_error);
    CHECK_FALSE(strand.running_in_this_thread());
    context.poll();
    CHECK(order == "cab");
    context.restart();
    asio::post(context, [&] { // as from a function in the queue: the caller goes on
        asio::dispatch(strand, [] { throw std::runtime_error("no memory"); });
        asio::dispatch(strand, [&] { order += 'd'; });
    });
    CHECK_THROWS_AS(context.poll(), std::runtime_error);
    CHECK(order == "cabd");
}

TEST_CASE("a function may destroy its strand, and what waits goes with the context") {
    std::optional<asio::io_context> context(std::in_place);
    auto strand =
        std::make_optional<session_strand>(asio::any_io_executor(context->get_executor()));
    bool ran = false;
    asio::post(*context, [&] {
        asio::dispatch(*strand, [&] {
            strand.reset();
            ran = true;
        });
    });
    context->poll();
    CHECK(ran);
    const auto held = std::make_shared<int>();
    strand.emplace(asio::any_io_executor(context->get_executor()));
    asio::post(*strand, [held, keeps = *strand] { FAIL("it ran"); });
    strand.reset();
    context.reset();
    CHECK(held.use_count() == 1);
}

TEST_CASE("a strand is of its executor's context, and passes for any executor") {
    executors of;
    for (const auto& each : of.all) {
        const session_strand strand(each);
        CHECK(&asio::query(strand, asio::execution::context) == &of.context);
        const asio::any_io_executor hidden(strand);
        CHECK(order_of(of.context, [&](auto f) { asio::post(hidden, f); }) == "acb");
    }
}
