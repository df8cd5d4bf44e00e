// SPDX-License-Identifier: BSL-1.0
// A lock that is dropped as soon as it is granted is warned of: what follows runs without it.
#include "integration/support/cancel_support.hpp"
#include "integration/support/log_record.hpp"

namespace {

struct drop_stage : fixture {
    std::string path = fresh_path("dropped");
    log_record told;
    session s{context, listening()};
    mutex lock{s, path};

    session_options listening() {
        auto options = options_for();
        options.log.sink = told.sink();
        return options;
    }
    [[nodiscard]] long warnings() const {
        return std::ranges::count_if(told.lines, [&](const auto& line) {
            return line.first == log_level::warning &&
                   line.second.find(path + " was released as soon as it was granted") !=
                       std::string::npos;
        });
    }
    /// What was said until now has been heard.
    void settle() {
        auto held = acquire_now(*this, lock);
        release_now(*this, held);
    }
};

} // namespace

TEST_CASE("a dropped result of acquire is warned of, once in a session") {
    drop_stage t;
    SECTION("by a coroutine") {
        t.run([&]() -> asio::awaitable<void> {
            (void)co_await t.lock.acquire();
            (void)co_await t.lock.acquire(asio::use_awaitable);
        });
    }
    SECTION("by a callback") {
        int calls = 0;
        for (int i = 0; i < 2; ++i)
            t.lock.acquire([&](error_code, held_lock) { ++calls; });
        t.run_until([&] { return calls == 2; });
    }
    t.settle();
    CHECK(t.warnings() == 1);
}

TEST_CASE("a lock that was looked at, or kept for a while, is not taken for a dropped one") {
    drop_stage t;
    t.run([&]() -> asio::awaitable<void> {
        {
            auto kept = co_await t.lock.acquire(); // its owner asks for the token
            CHECK(kept.fencing_token() > turnstile::fencing_token{});
        }
        {
            auto kept = co_await t.lock.acquire();
            CHECK(kept.is_held());
        }
        {
            auto kept = co_await t.lock.acquire();
            co_await kept.release();
        }
        {
            auto kept = co_await t.lock.acquire();
            co_await asio::post(asio::use_awaitable);
        } // another turn
        {
            auto kept = co_await t.lock.acquire();
            // justified: work that blocks its thread
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
    });
    t.settle();
    CHECK(t.warnings() == 0);
}
