// A watch event that never comes delays a line, and does not stop it.
#include "integration/support/cancel_support.hpp"
#include "integration/support/fault_rig.hpp"
#include "integration/support/log_record.hpp"
#include "support/frame_proxy.hpp"
#include "support/pch.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <utility>

using namespace turnstile;
using namespace turnstile::test;

namespace {

/// A holder with a connection of its own; who waits is told of no event at all.
struct lost_events : fixture {
    static session_options telling(session_options options, log_record& log) {
        options.log = {.level = log_level::warning, .sink = log.sink()};
        return options;
    }

    lost_events() {
        (void)proxy.add_rule({.direction = direction::to_client,
                              .op = op::watch_event,
                              .times = 0,
                              .action = action::lose});
    }

    template <class Lock>
    void next_is_granted(Lock& ours, Lock& theirs) {
        auto held = acquire_now(*this, ours);
        probe waits;
        theirs.acquire(waits.make());
        settle(*this, there);
        CHECK_FALSE(waits.done());
        release_now(*this, held);
        is_granted_within_t(waits);
        release_now(*this, waits.lock());
    }
    void is_granted_within_t(probe& waits) {
        using std::chrono_literals::operator""s;
        const auto for_the_machine = 2s; // that runs other tests as well
        run_until([&] { return waits.done(); }, there.negotiated_timeout() + for_the_machine);
        CHECK(waits.code() == error_code{});
        CHECK(waits.lock().is_held());
    }

    frame_proxy proxy{"127.0.0.1", shared_server().port()};
    const std::string path = fresh_path("lost_event");
    session here{context, options_for()};
    log_record told;
    session there{context, telling(impatient(proxy.address()), told)};
};

using acquire = std::function<boost::asio::awaitable<held_lock>()>;

template <class Lock>
acquire acquire_of(Lock lock) {
    return [lock = std::make_shared<Lock>(std::move(lock))] {
        return lock->acquire(boost::asio::use_awaitable);
    };
}

} // namespace

TEST_CASE("a waiter whose event is lost is granted all the same") {
    lost_events f;
    SECTION("of a mutex") {
        mutex ours{f.here, f.path};
        mutex theirs{f.there, f.path};
        f.next_is_granted(ours, theirs);
        CHECK(f.there.usage().missed_events == 1);
        CHECK(f.told.mentions("the watch event of " + f.path + "/turn-"));
        CHECK(f.told.mentions(" never came: a server or a proxy loses events"));
    }
    SECTION("of a lock of one node") {
        single_node_mutex ours{f.here, f.path};
        single_node_mutex theirs{f.there, f.path};
        f.next_is_granted(ours, theirs);
    }
    SECTION("of a semaphore") {
        semaphore ours{f.here, f.path, 1};
        semaphore theirs{f.there, f.path, 1};
        f.next_is_granted(ours, theirs);
    }
    SECTION("of a reader") {
        shared_mutex ours{f.here, f.path};
        shared_mutex theirs{f.there, f.path};
        auto held = acquire_now(f, ours);
        probe waits;
        theirs.shared().acquire(waits.make());
        settle(f, f.there);
        release_now(f, held);
        f.is_granted_within_t(waits);
    }
}

// A minute and a half for each kind: on demand.
TEST_CASE("of all events one in fifty is lost, and no acquire takes longer than T", "[.lost]") {
    using std::chrono_literals::operator""s;
    using std::chrono::steady_clock;
    constexpr auto timeout = 4s;
    frame_proxy proxy{"127.0.0.1", shared_server().port()};
    (void)proxy.add_rule({.direction = direction::to_client,
                          .op = op::watch_event,
                          .times = 0,
                          .every = 50,
                          .action = action::lose});
    fixture f;
    std::deque<session> sessions;
    const auto path = fresh_path("one_in_fifty");
    const auto end = steady_clock::now() + 90s;
    steady_clock::duration longest{};
    int acquires = 0;
    const auto contend = [&](auto make) {
        for (int i = 0; i < 3; ++i) {
            auto& each = sessions.emplace_back(
                f.context, session_options{.servers = proxy.address(), .timeout = timeout});
            f.spawn([&, ours = acquire(make(each))]() -> boost::asio::awaitable<void> {
                while (steady_clock::now() < end) {
                    const auto began = steady_clock::now();
                    auto held = co_await ours();
                    longest = std::max(longest, steady_clock::now() - began);
                    ++acquires;
                    co_await held.release(boost::asio::use_awaitable);
                }
            });
        }
    };
    SECTION("mutex") {
        contend([&](session& s) { return acquire_of(mutex{s, path}); });
    }
    SECTION("readers and writers") {
        contend([&](session& s) -> acquire {
            const auto lock = std::make_shared<shared_mutex>(s, path);
            const auto asked = std::make_shared<int>(0);
            return [lock, asked] {
                return ++*asked % 2 == 0 ? lock->acquire(boost::asio::use_awaitable)
                                         : lock->shared().acquire(boost::asio::use_awaitable);
            };
        });
    }
    SECTION("a semaphore of one") {
        contend([&](session& s) { return acquire_of(semaphore{s, path, 1}); });
    }
    SECTION("a semaphore of two") {
        contend([&](session& s) { return acquire_of(semaphore{s, path, 2}); });
    }
    SECTION("a lock of one node") {
        contend([&](session& s) { return acquire_of(single_node_mutex{s, path}); });
    }
    SECTION("several locks") {
        contend([&](session& s) {
            return acquire_of(multi_lock{mutex{s, path + "/a"}, mutex{s, path + "/b"}});
        });
    }
    f.run_spawned(120s);
    std::uint64_t missed = 0;
    for (const auto& each : sessions)
        missed += each.usage().missed_events;
    WARN(acquires << " acquires, " << missed << " ends that no event told, the longest acquire "
                  << std::chrono::duration_cast<std::chrono::milliseconds>(longest).count()
                  << " ms");
    CHECK(longest <= timeout);
}
