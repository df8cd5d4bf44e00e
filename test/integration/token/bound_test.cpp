// SPDX-License-Identifier: BSL-1.0
// Completion tokens that carry an executor, an allocator or a cancellation slot.
#include "contract_allocator.hpp"
#include "token_operations.hpp"

#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/strand.hpp>

#include <deque>

namespace asio = boost::asio;
using namespace turnstile;
using namespace turnstile::test;

TEST_CASE("every operation takes a token bound to an executor") {
    run_all_operations("bound-executor",
                       [](asio::io_context& context, probe::handler done, auto start) {
                           const auto strand = asio::make_strand(context);
                           start(asio::bind_executor(
                               strand, [strand, done = std::move(done)](auto&&... result) mutable {
                                   CHECK(strand.running_in_this_thread());
                                   done(std::forward<decltype(result)>(result)...);
                               }));
                       });
}

TEST_CASE("every operation takes a token bound to a cancellation slot which serves the next one") {
    asio::cancellation_signal one;
    asio::cancellation_signal loss;
    asio::cancellation_signal risk;
    int number = 0;
    run_all_operations("bound-slot", [&](asio::io_context&, probe::handler done, auto start) {
        // The sixth and the seventh wait while the eighth is at work: they cannot share a slot.
        ++number;
        auto& signal = number == 6 ? loss : number == 7 ? risk : one;
        start(asio::bind_cancellation_slot(
            signal.slot(), [&signal, done = std::move(done)](auto&&... result) mutable {
                signal.emit(asio::cancellation_type::all); // too late, and of no consequence
                done(std::forward<decltype(result)>(result)...);
            }));
    });
    one.emit(asio::cancellation_type::all);
    loss.emit(asio::cancellation_type::all);
    risk.emit(asio::cancellation_type::all);
}

TEST_CASE("every operation takes a token bound to an allocator and uses it") {
    std::deque<allocation_count> counts;
    run_all_operations("bound-allocator", [&](asio::io_context&, probe::handler done, auto start) {
        auto& count = counts.emplace_back();
        start(asio::bind_allocator(counting_allocator<void>(count),
                                   [&count, done = std::move(done)](auto&&... result) mutable {
                                       CHECK(count.made > 0);
                                       CHECK(count.live ==
                                             0); // memory comes back before the handler is called
                                       done(std::forward<decltype(result)>(result)...);
                                   }));
    });
    CHECK(counts.size() == 9);
    for (const auto& count : counts)
        CHECK(count.live == 0);
}

TEST_CASE("every operation takes a token with all of executor and allocator and slot") {
    std::deque<asio::cancellation_signal> signals;
    allocation_count count;
    run_all_operations(
        "bound-all", [&](asio::io_context& context, probe::handler done, auto start) {
            start(asio::bind_cancellation_slot(
                signals.emplace_back().slot(),
                asio::bind_executor(
                    asio::make_strand(context),
                    asio::bind_allocator(counting_allocator<void>(count), std::move(done)))));
        });
    CHECK(count.made > 0);
    CHECK(count.live == 0);
}
