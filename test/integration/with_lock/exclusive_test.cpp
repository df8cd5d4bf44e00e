// SPDX-License-Identifier: BSL-1.0
// run_exclusively on a pool of threads, with a real server.
#include "integration/with_lock/with_lock_stage.hpp"

#include <list>

namespace {

/// One of several on a path, and how it is told to stop.
struct candidate {
    candidate(asio::thread_pool& pool, const std::string& path)
        : where(asio::make_strand(pool)), own(pool, quiet({})), leadership(own, path) {}

    template <class Lead>
    void start(Lead lead, const exclusive_options& how) {
        asio::co_spawn(
            where, code_of(run_exclusively(leadership, lead, how)),
            asio::bind_cancellation_slot(
                stop.slot(), asio::bind_executor(where, [this](std::exception_ptr, error_code why) {
                    over = true;
                    end.set_value(why);
                })));
    }
    void tell_to_stop() {
        asio::post(where, [this] {
            if (!over)
                stop.emit(asio::cancellation_type::terminal);
        });
    }

    asio::strand<asio::thread_pool::executor_type> where;
    session own;
    mutex leadership;
    asio::cancellation_signal stop{};
    bool over = false;
    std::promise<error_code> end{};
};

} // namespace

TEST_CASE("leaders on a pool of threads lead one by one, whatever ends a term") {
    constexpr int wanted = 60;
    const auto path = fresh_path("leaders");
    asio::thread_pool pool{4};
    int leading = 0; // the lock guards it
    std::atomic<bool> together = false;
    std::atomic<int> terms = 0;
    std::atomic<int> told = 0;
    const auto lead = [&]() -> asio::awaitable<void> {
        together = together || ++leading != 1;
        const int term = ++terms;
        asio::steady_timer pause{co_await asio::this_coro::executor, 1ms};
        const auto failed = co_await code_of(pause.async_wait(asio::use_awaitable));
        --leading;
        if (failed)
            throw boost::system::system_error(failed);
        if (term % 3 != 0)
            throw std::runtime_error("the term ends");
        foreign_client other{foreign_client::options{.address = shared_server().address(),
                                                     .digest = "turnstile:turnstile"}};
        static_cast<void>(other.remove(path + '/' + children_of(path).at(0)));
        co_await for_ever(); // until the loss, or the end
    };
    exclusive_options how;
    how.on_error = [&](std::exception_ptr) { ++told; };
    how.shortest_backoff = 1ms;
    how.longest_backoff = 4ms;
    std::list<candidate> all;
    for (int i = 0; i < 6; ++i)
        all.emplace_back(pool, path).start(lead, how);
    const auto end = std::chrono::steady_clock::now() + fixture::default_limit;
    while (terms < wanted) {
        REQUIRE(std::chrono::steady_clock::now() < end);
        std::this_thread::sleep_for(5ms); // justified: the pool of threads does the work
    }
    for (auto& each : all)
        each.tell_to_stop();
    for (auto& each : all) {
        auto ended = each.end.get_future();
        REQUIRE(ended.wait_for(fixture::default_limit) == std::future_status::ready);
        CHECK(ended.get() == aborted);
    }
    CHECK_FALSE(together);
    CHECK(told >= wanted / 2);
    CHECK(children_of(path).empty());
    all.clear();
    pool.join();
}
