// What a reactor hands to a session's strand where there is no memory to queue it.
#include "allocation_fault.hpp"
#include "zookeeper/session_strand.hpp"

#include "support/pch.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace asio = boost::asio;
using turnstile::test::allocation_fault;
using turnstile::zookeeper::session_strand;

TEST_CASE("a completion behind others runs in its turn, though it cannot be queued") {
    std::size_t nth = 0;
    for (bool happened = true; happened;) {
        allocation_fault fault(++nth);
        INFO("allocation " << nth);
        asio::io_context context;
        const session_strand strand{asio::any_io_executor(context.get_executor())};
        std::string order;
        order.reserve(8); // no allocation of the test's own
        const auto complete = [&](char name) {
            const allocation_fault::window open(fault);
            asio::dispatch(strand, [&order, name] { order += name; });
        };
        asio::post(context, [&] {
            asio::post(strand, [&] { order += 'a'; }); // a runner is on its way
            asio::post(strand, [&] {
                order += 'b';
                throw std::runtime_error("nobody's");
            });
            complete('c');
            complete('d');
            order += '.';
        });
        try {
            context.run();
        } catch (const std::runtime_error&) { // from the runner, where that ran it
            context.run();
        }
        happened = fault.happened();
        CHECK((order == ".abcd" || order == "abcd." || order == "abc.d"));
        CHECK((order == ".abcd") == !happened);
        CHECK_FALSE(strand.running_in_this_thread());
    }
    CHECK(nth > 2);
}

TEST_CASE("threads that cannot queue a completion wait for their turn") {
    constexpr int threads = 4;
    constexpr int each = 20'000;
    asio::io_context context(threads);
    const session_strand strand{asio::any_io_executor(context.get_executor())};
    int inside = 0; // by one thread at a time
    const auto work = [&] {
        const int before = inside;
        std::this_thread::yield(); // to one that wants to get in
        inside = before + 1;
    };
    for (int i = 0; i < each; ++i)
        asio::post(context, [&, i] {
            allocation_fault fault(1 + static_cast<std::size_t>(i) % 3);
            const allocation_fault::window open(fault);
            asio::dispatch(strand, work);
            asio::dispatch(strand, work);
        });
    {
        std::vector<std::jthread> runs;
        for (int i = 0; i < threads; ++i)
            runs.emplace_back([&] { context.run(); });
    }
    CHECK(inside == 2 * each);
}
