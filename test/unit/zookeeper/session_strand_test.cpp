// A session's strand behaves as one on any_io_executor does, whatever executor the user gives.
#include "zookeeper/session_strand.hpp"

#include "support/pch.hpp"

#include <boost/asio/dispatch.hpp>
#include <boost/asio/execution.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>

#include <optional>
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

TEST_CASE("a tracked strand keeps its context at work, and no other does") {
    asio::io_context context;
    const session_strand strand(asio::any_io_executor(context.get_executor()));
    const auto stops = [&] {
        context.restart();
        context.poll();
        return context.stopped();
    };
    CHECK(stops());
    {
        std::optional<session_strand> working = asio::prefer(strand, tracked);
        CHECK(*working == strand);
        CHECK_FALSE(stops());
        const auto idle = asio::prefer(*working, asio::execution::outstanding_work.untracked);
        CHECK(idle == strand);
        working.reset();
        CHECK(stops()); // while there is still the untracked one
    }
    CHECK(stops());
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
