// SPDX-License-Identifier: BSL-1.0
// Completion tokens: callbacks and what adapts them.
#include "contract_allocator.hpp"
#include "token_operations.hpp"

#include <boost/asio/bind_allocator.hpp>

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

TEST_CASE("every operation takes use_future, and its future may be dropped") {
    run_all_operations("future", [](asio::io_context&, probe::handler done, auto start) {
        start(asio::use_future([done = std::move(done)](auto&&... result) mutable {
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
