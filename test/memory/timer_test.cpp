// The lease's timer, where there is no memory to wait once more.
#include "allocation_fault.hpp"
#include "locks/boottime_timer.hpp"

#include "support/pch.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>

namespace asio = boost::asio;
using namespace turnstile;
using namespace turnstile::detail;
using turnstile::test::allocation_fault;

TEST_CASE("a timer that cannot wait once more is due early, and its owner sees to it") {
    asio::io_context context;
    const boottime_timer::strand_type strand(asio::any_io_executor(context.get_executor()));
    int due = 0;
    boottime_timer timer(strand, [&] { ++due; });
    const auto owner = std::make_shared<int>();
    const auto at = lease_clock::now() + std::chrono::hours(1);
    timer.start(at, owner);
    timer.cancel();
    timer.start(at, owner); // the wait that was cancelled is told of, and begins anew
    std::size_t nth = 0;
    SECTION("with memory it waits") {}
    SECTION("without") { nth = 1; }
    allocation_fault fault(nth, nullptr, allocation_fault::all);
    std::optional<allocation_fault::window> open;
    asio::post(strand, [&] {        // what is told waits behind this
        for (int i = 0; i < 8; ++i) // takes the blocks that Asio keeps for this thread
            asio::post(context, [] {});
        open.emplace(fault);
    });
    context.poll();
    open.reset();
    CHECK(fault.happened() == (nth == 1));
    CHECK(due == (nth == 1 ? 1 : 0));
}
