// SPDX-License-Identifier: BSL-1.0
// The lease's timer: from a clock that goes on during a suspend, and without one where it must.
#include "session/values/boottime_timer.hpp"

#include "support/pch.hpp"

#include <cerrno>
#include <ctime>
#include <sys/syscall.h>
#include <unistd.h>

namespace asio = boost::asio;
using namespace turnstile;
using namespace turnstile::detail;
using namespace std::chrono_literals;

namespace {

struct owner {
    explicit owner(asio::io_context& context)
        : timer(boottime_timer::strand_type(asio::any_io_executor(context.get_executor())),
                [this] { ++due; }) {}
    int due = 0;
    boottime_timer timer;
};

struct stage {
    asio::io_context context;
    std::shared_ptr<owner> one = std::make_shared<owner>(context);

    void start(lease_clock::duration in) { one->timer.start(lease_clock::now() + in, one); }
    void run() {
        context.restart();
        context.run();
    }
};

bool timers_are_refused = false;

// The kernel refuses timers while this lives. (A limit of descriptors would also stop UBSan, which
// needs some to look at memory.)
class no_descriptors {
public:
    no_descriptors() { timers_are_refused = true; }
    no_descriptors(const no_descriptors&) = delete;
    no_descriptors& operator=(const no_descriptors&) = delete;
    ~no_descriptors() { timers_are_refused = false; }
};

std::string about(int descriptor) {
    std::ifstream file("/proc/self/fdinfo/" + std::to_string(descriptor));
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

} // namespace

// Stands in for the C library's.
extern "C" int timerfd_create(clockid_t clock, int flags) noexcept {
    if (timers_are_refused) {
        errno = EMFILE;
        return -1;
    }
    return static_cast<int>(::syscall(SYS_timerfd_create, clock, flags));
}

TEST_CASE("the timer is an absolute one on the clock that counts through suspend") {
    stage t;
    t.start(1h);
    REQUIRE(t.one->timer.has_descriptor());
    const auto text = about(t.one->timer.descriptor());
    CHECK(text.find("clockid: " + std::to_string(CLOCK_BOOTTIME) + '\n') != std::string::npos);
    CHECK(text.find("settime flags: 01\n") != std::string::npos); // TFD_TIMER_ABSTIME
    t.one->timer.cancel();
    CHECK_FALSE(t.one->timer.has_descriptor());
    t.run(); // nothing is left to wait for
    CHECK(t.one->due == 0);
}

TEST_CASE("the timer is due once, at its instant and not before") {
    stage t;
    const auto at = lease_clock::now() + 20ms;
    t.one->timer.start(at, t.one);
    CHECK(t.one->due == 0);
    t.run();
    CHECK(t.one->due == 1);
    CHECK(lease_clock::now() >= at);
}

TEST_CASE("an instant that has passed is due at once, but not inline") {
    for (const auto at :
         {lease_clock::now() - 1s, lease_clock::time_point{}, lease_clock::time_point{-5s}}) {
        stage t;
        t.one->timer.start(at, t.one);
        CHECK(t.one->due == 0);
        t.run();
        CHECK(t.one->due == 1);
    }
}

TEST_CASE("a timer that is started again is due at the new instant") {
    stage t;
    SECTION("earlier") {
        t.start(1h);
        t.context.poll();
        t.start(5ms);
    }
    SECTION("after a cancel") {
        t.start(1h);
        t.one->timer.cancel();
        t.start(5ms);
    }
    SECTION("after a cancel that was seen") {
        t.start(1h);
        t.one->timer.cancel();
        t.context.poll();
        t.start(5ms);
    }
    SECTION("after it was due") {
        t.start(1ms);
        t.run();
        CHECK(t.one->due == 1);
        t.one->due = 0;
        t.start(5ms);
    }
    t.run();
    CHECK(t.one->due == 1);
}

TEST_CASE("a timer whose owner is gone touches nothing") {
    stage t;
    t.start(1ms);
    const std::weak_ptr watched = t.one;
    t.one.reset();
    t.run();
    CHECK(watched.expired());
}

TEST_CASE("where no descriptor is to be had the timer is due all the same") {
    stage t;
    {
        const no_descriptors none;
        t.start(5ms);
        CHECK_FALSE(t.one->timer.has_descriptor());
        t.run();
        CHECK(t.one->due == 1);
        t.start(1h);
        t.one->timer.cancel();
        t.run();
        CHECK(t.one->due == 1);
    }
    t.start(5ms);
    CHECK(t.one->timer.has_descriptor());
    t.run();
    CHECK(t.one->due == 2);
}
