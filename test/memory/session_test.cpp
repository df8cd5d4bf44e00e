// Every allocation of a session on a real server fails once, each in a session of its own.
#include "allocation_fault.hpp"

#include "integration/support/contract_probe.hpp"
#include "integration/support/fault_rig.hpp"
#include "support/pch.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <dlfcn.h>
#include <execinfo.h>
#include <new>
#include <optional>
#include <source_location>

using namespace turnstile;
using namespace turnstile::test;
using namespace std::chrono_literals;

namespace {

session_options options() {
    auto result = impatient(shared_server().address());
    result.timeout = 2s;
    return result;
}

/// Asio 1.81 cannot stand these: it copies any_io_executors, which allocates, in functions that it
/// declares noexcept.
bool is_fatal_to_asio() {
    constexpr std::string_view place = "execution6detail17any_executor_base";
    std::array<void*, 16> frames{};
    const auto count = ::backtrace(frames.data(), static_cast<int>(frames.size()));
    for (int i = 0; i < count; ++i) {
        Dl_info info{};
        if (::dladdr(frames[static_cast<std::size_t>(i)], &info) == 0 || !info.dli_sname)
            continue;
        const std::string_view name(info.dli_sname);
        if (name.find(place) != name.npos)
            return true;
    }
    return false;
}

/// Another process, with memory enough, over all runs.
struct neighbour {
    neighbour() { connect(f, s); }
    void poll() {
        f.context.restart();
        f.context.poll();
    }
    fixture f;
    session s{f.context, options()};
    onlooker eyes{shared_server().address()};
};

struct brittle_run {
    brittle_run(neighbour& other, std::size_t nth)
        : beside(other),
          fault(nth, &is_fatal_to_asio),
          path(fresh_path("brittle")),
          theirs(other.s, path + "-b") {}

    /// What the library does here may fail.
    template <class Step>
    void brittle(Step step) {
        try {
            const allocation_fault::window open(fault);
            step();
        } catch (const std::bad_alloc&) {
            ++exceptions;
        }
    }
    void run_until(const std::function<bool()>& done,
                   std::source_location where = std::source_location::current()) {
        INFO("line " << where.line() << ", exceptions so far: " << exceptions);
        const auto end = std::chrono::steady_clock::now() + 20s;
        while (!done()) {
            REQUIRE(std::chrono::steady_clock::now() < end);
            context.restart();
            brittle([&] { context.run_one_for(1ms); });
            beside.poll();
        }
    }
    static bool is_over(const probe& what) { return what.done() || what.dropped(); }

    void take(std::optional<mutex>& lock, probe& result) {
        if (!lock)
            return;
        auto handler = result.make();
        brittle([&] { lock->acquire(std::move(handler)); });
    }
    void release(held_lock& lock, probe& result) {
        if (!lock)
            return;
        auto handler = result.make();
        brittle([&] { lock.release(std::move(handler)); });
    }

    void live() {
        theirs.acquire();
        beside.f.run_until([&] { return theirs.holds(); });
        brittle([&] { own.emplace(context, options()); });
        if (!own)
            return;
        auto handler = connected.make();
        brittle([&] { own->connect(std::move(handler)); });
        run_until([&] { return is_over(connected); });
        brittle([&] { a.emplace(*own, path + "-a"); });
        brittle([&] { b.emplace(*own, path + "-b"); });
        take(a, first);
        run_until([&] { return !a || is_over(first); });
        take(b, second);
        take(a, third); // behind the first one
        run_until([&] {
            return !a || !b || own->state() == session_state::closed ||
                   (is_over(second) || beside.eyes.count(path + "-b") == 2);
        });
        theirs.release();
        run_until([&] { return !b || is_over(second); });
        if (a) {
            auto cancelled = fourth.make();
            brittle([&] {
                a->acquire(
                    boost::asio::bind_cancellation_slot(signal.slot(), std::move(cancelled)));
            });
            const auto before = exceptions;
            const auto cancel = [&] { signal.emit(boost::asio::cancellation_type::terminal); };
            brittle(cancel);
            if (exceptions > before) // where the call threw, nothing was cancelled
                cancel();
            if (first.lock()) // else it stands before nobody
                run_until([&] { return is_over(fourth); });
        }
        release(first.lock(), released);
        first.lock() = held_lock(); // where the call threw, it is there still
        run_until([&] { return !a || is_over(third); });
        brittle([&] { second.lock() = held_lock(); });
        auto last = closed.make();
        brittle([&] { own->close(std::move(last)); });
        run_until([&] { return is_over(closed); });
    }

    void end() {
        brittle([&] { own.reset(); });
        run_until([&] { return over(); });
        for (const auto each : all()) {
            REQUIRE(each->calls() <= 1);
            REQUIRE((exceptions > 0 || !each->dropped()));
        }
    }
    std::array<const probe*, 7> all() const {
        return {&connected, &first, &second, &third, &fourth, &released, &closed};
    }
    bool over() const {
        return std::ranges::none_of(all(), [](const probe* each) { return each->pending(); });
    }

    // Anybody's, and certainly not believed in any more.
    void check_free() {
        if (theirs.holds())
            theirs.release();
        contender one{beside.s, path + "-a"};
        contender two{beside.s, path + "-b"};
        one.acquire();
        two.acquire();
        beside.f.run_until([&] {
            context.restart();
            context.poll();
            return one.holds() && two.holds();
        });
        for (const auto each : {&first, &second, &third})
            REQUIRE_FALSE(each->lock().is_held());
        for (const auto each : {&one, &two})
            each->release();
        beside.f.run_until([&] { return one.release_result && two.release_result; });
    }

    neighbour& beside;
    allocation_fault fault;
    std::size_t exceptions = 0;
    std::string path;
    contender theirs;
    boost::asio::io_context context;
    boost::asio::cancellation_signal signal;
    std::optional<session> own;
    std::optional<mutex> a;
    std::optional<mutex> b;
    probe connected, first, second, third, fourth, released, closed;
};

} // namespace

TEST_CASE(
    "any failed allocation of a session is told, and leaves neither a lock nor a caller behind") {
    neighbour other;
    std::size_t nth = 0;
    std::size_t told = 0;
    for (bool happened = true; happened;) {
        ++nth;
        INFO("allocation " << nth);
        brittle_run r(other, nth);
        r.live();
        r.end();
        happened = r.fault.happened();
        told += r.exceptions;
        REQUIRE((happened || r.exceptions == 0));
        r.check_free();
    }
    CHECK(told > 100);
}
