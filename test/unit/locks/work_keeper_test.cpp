// SPDX-License-Identifier: BSL-1.0
// A context that only awaits operations of ours does not return early, and returns after them.
#include "locks/work_keeper.hpp"

#include "support/pch.hpp"

#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace asio = boost::asio;
using namespace turnstile::detail;

TEST_CASE("a context has work as long as one entry is left") {
    asio::io_context context;
    const auto keeper = std::make_shared<work_keeper>(context.get_executor());
    const auto is_at_work = [&] {
        context.restart();
        context.poll();
        return !context.stopped();
    };
    CHECK_FALSE(is_at_work());
    std::optional<work_keeper::entry> first(keeper);
    std::optional<work_keeper::entry> second(keeper);
    CHECK(is_at_work());
    work_keeper::entry moved(std::move(*first));
    first.reset();
    CHECK(is_at_work());
    second.reset();
    CHECK(is_at_work());
    std::optional<work_keeper::entry> last(std::move(moved));
    last.reset();
    CHECK_FALSE(is_at_work());
    CHECK(keeper.use_count() == 1);
    last.emplace(keeper);
    CHECK(is_at_work());
}

TEST_CASE("entries come and go on several threads") {
    asio::io_context context;
    const auto keeper = std::make_shared<work_keeper>(context.get_executor());
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (int round = 0; round < 1000; ++round)
                const work_keeper::entry one(keeper);
        });
    for (auto& each : threads)
        each.join();
    context.poll();
    CHECK(context.stopped());
}

TEST_CASE("without a context there is no work to keep") { const work_keeper::entry none(nullptr); }
