// SPDX-License-Identifier: BSL-1.0
// Somebody sets the computer's clock while locks are held and waited for.
#include "lease_rig.hpp"

#include <ctime>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

namespace {

std::atomic<std::int64_t> wrong_by{0}; // seconds

/// While it lives, the time of day is as wrong as it was set last; clocks that nobody can set go on
/// as ever. It is the same for all libraries of the process.
class wall_clock {
public:
    wall_clock() = default;
    wall_clock(const wall_clock&) = delete;
    wall_clock& operator=(const wall_clock&) = delete;
    ~wall_clock() { set_wrong_by(std::chrono::seconds{0}); }

    void set_wrong_by(std::chrono::seconds error) { wrong_by = error.count(); }
};

struct jumping_clock : lease_rig {
    wall_clock wall;

    // Each time until beats have gone and been answered in the new time.
    void jump_to_and_fro() {
        for (const auto error : {1h, -1h, 0h}) {
            const auto before = std::chrono::system_clock::now();
            const auto was = wrong_;
            wall.set_wrong_by(wrong_ = error);
            const auto jumped = std::chrono::system_clock::now() - before - (error - was);
            REQUIRE(std::chrono::abs(jumped) < 1min); // the clock did jump
            for (int beats = 0; beats < 2; ++beats) {
                const auto deadline = holder.lock.deadline();
                f.run_until([&] { return holder.lock.deadline() > deadline; });
            }
            CHECK(holder.lock.is_held());
            CHECK_FALSE(holder.lock.is_at_risk());
        }
    }

private:
    std::chrono::hours wrong_{0};
};

} // namespace

// Programs and libraries alike call these instead of the C library's.
extern "C" {

int clock_gettime(clockid_t which, timespec* now) noexcept {
    const auto result = static_cast<int>(::syscall(SYS_clock_gettime, which, now));
    if (result == 0 && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE))
        now->tv_sec += wrong_by.load(std::memory_order_relaxed);
    return result;
}

int gettimeofday(timeval* now, void* /*timezone*/) noexcept {
    timespec precise{};
    ::clock_gettime(CLOCK_REALTIME, &precise);
    now->tv_sec = precise.tv_sec;
    now->tv_usec = precise.tv_nsec / 1'000;
    return 0;
}

time_t time(time_t* now) noexcept {
    timespec precise{};
    ::clock_gettime(CLOCK_REALTIME, &precise);
    if (now != nullptr)
        *now = precise.tv_sec;
    return precise.tv_sec;
}
}

TEST_CASE("the time of day may jump by an hour: nothing is lost and nobody's limit is over") {
    jumping_clock c;
    contender patient{c.direct, c.path};
    patient.acquire_for(10min);
    await_children(c.f, c.eyes, c.path, 3);
    c.jump_to_and_fro();
    CHECK_FALSE(c.holder.loss);
    CHECK_FALSE(c.waiter.holds());
    CHECK(patient.completed == 0);
    c.holder.release();
    c.f.run_until([&] { return c.waiter.holds(); });
    c.waiter.release();
    c.f.run_until([&] { return patient.holds(); });
}

TEST_CASE("a time of day that jumps does not put a loss off") {
    for (const auto error : {1h, -1h}) {
        INFO(error.count());
        jumping_clock c;
        c.proxy.set_black_hole(true);
        c.wall.set_wrong_by(error);
        const auto deadline = c.holder.lock.deadline();
        c.check_that_loss_comes_first();
        CHECK(c.holder.lost_at < deadline);
        CHECK(c.waiter.granted_at > deadline);
        c.proxy.set_black_hole(false);
        c.f.run_until([&] { return c.s.state() == session_state::connected; });
    }
}
