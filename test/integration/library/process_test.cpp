// SPDX-License-Identifier: BSL-1.0
// The C client's process-wide state is entered under one process-wide lock, which is never held
// while the user's code runs: another session, on another thread, gets on meanwhile.
#include "integration/support/fault_rig.hpp"
#include "integration/support/thread_worker.hpp"

#include "support/frame_proxy.hpp"

#include <cstdlib>

namespace {

// Another session of the process, which connects, locks and unlocks while its caller blocks.
class bystander {
public:
    explicit bystander(const session_options& options) : options_(options) {}

    bool gets_on() {
        session own{elsewhere_.context, options_};
        mutex lock{own, fresh_path("bystander")};
        auto held = lock.acquire(asio::use_future);
        if (held.wait_for(20s) != std::future_status::ready)
            return false;
        auto released = held.get().release(asio::use_future);
        if (released.wait_for(20s) != std::future_status::ready)
            return false;
        released.get();
        return true;
    }

private:
    session_options options_;
    worker elsewhere_;
};

} // namespace

TEST_CASE("another session gets on while a handler of this one blocks") {
    bystander other{options_for()};
    fixture f;
    session s{f.context, options_for()};
    mutex lock{s, fresh_path("library-lock")};
    held_lock held;
    int right = 0;
    s.connect([&](error_code) { right += other.gets_on(); });
    f.run_until([&] { return right == 1; }, 60s);
    lock.acquire([&](error_code, held_lock granted) {
        held = std::move(granted);
        right += other.gets_on();
    });
    f.run_until([&] { return right == 2; }, 60s);
    held.release([&](error_code) { right += other.gets_on(); });
    f.run_until([&] { return right == 3; }, 60s);
    s.close([&](error_code) { right += other.gets_on(); });
    f.run_until([&] { return right == 4; }, 60s);
}

TEST_CASE("another session gets on while this one's log sink blocks") {
    bystander other{options_for()};
    frame_proxy proxy{shared_server().port()};
    std::vector<std::string> lines;
    std::vector<std::string> stuck;
    fixture f;
    auto options = impatient(proxy.address());
    options.log = {.level = log_level::debug, .sink = [&](log_level, std::string_view text) {
                       lines.emplace_back(text);
                       // At some lines of each phase: connecting, the enqueue, the grant.
                       if (lines.size() % 8 == 1 && lines.size() < 64 && !other.gets_on())
                           stuck.emplace_back(text);
                   }};
    session s{f.context, options};
    contender user{s, fresh_path("library-lock")};
    user.acquire();
    f.run_until([&] { return user.holds() || !stuck.empty(); }, 60s);
    proxy.cut_all();
    f.run_until([&] { return proxy.stats().connections > 1 || !stuck.empty(); }, 60s);
    CHECK(lines.size() > 1);
    CHECK(stuck == std::vector<std::string>{});
}

TEST_CASE("sessions neither reseed nor use up the process's random numbers") {
    constexpr unsigned seed = 20261123;
    ::srandom(seed);
    const auto first = ::random();
    const auto second = ::random();
    ::srand48(seed);
    const auto first_fraction = ::drand48();
    const auto second_fraction = ::drand48();

    ::srandom(seed);
    ::srand48(seed);
    CHECK(::random() == first);
    CHECK(::drand48() == first_fraction);
    frame_proxy proxy{shared_server().port()};
    fixture f;
    session s{f.context, impatient(proxy.address())};
    contender user{s, fresh_path("random")};
    acquire_now(f, user);
    const auto connections = proxy.stats().connections;
    proxy.cut_all();
    f.run_until([&] {
        return proxy.stats().connections > connections && s.state() == session_state::connected;
    });
    CHECK(::random() == second);
    CHECK(::drand48() == second_fraction);
}
