// SPDX-License-Identifier: BSL-1.0
// A session whose only server goes away.
#pragma once

#include "integration/support/log_record.hpp"
#include "integration/with_lock/with_lock_stage.hpp"

namespace turnstile::test {

enum class away { stopped, killed }; // by SIGSTOP, by SIGKILL

/// Declare it before the locks.
struct stranded : fixture {
    static constexpr std::chrono::milliseconds timeout{4000};
    static constexpr std::chrono::milliseconds connecting{1500};
    static constexpr std::chrono::milliseconds unreachable{2000};
    /// Of a busy machine. What had no limit would take longer by far.
    static constexpr std::chrono::milliseconds slack{1000};

    explicit stranded(away the_way) : how(the_way) {}

    /// From here on no server answers.
    void strand() {
        deadline =
            lease_clock::now() + timeout; // of a lease that was proved by then, at the latest
        if (how == away::stopped)
            server.pause();
        else
            server.kill();
    }
    held_lock hold() {
        held_lock held;
        run([&]() -> asio::awaitable<void> { held = co_await lock.acquire(); });
        return held;
    }

    const away how;
    zookeeper_server server{{}};
    log_record record;
    session s{context, options()};
    mutex lock{s, "/locks/own"};
    lease_clock::time_point deadline{};

private:
    session_options options() {
        auto result = options_for(server.address());
        result.timeout = timeout;
        result.connect_timeout = connecting;
        result.unreachable_limit = unreachable;
        result.log = {.level = log_level::info, .sink = record.sink()};
        return result;
    }
};

/// How an operation ended.
struct ending {
    std::optional<error_code> code;

    auto note() {
        return [this](error_code why, auto&&...) { code = why; };
    }
    [[nodiscard]] bool is_over() const { return code.has_value(); }
};

} // namespace turnstile::test
