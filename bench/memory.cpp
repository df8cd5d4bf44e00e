// SPDX-License-Identifier: BSL-1.0
#include "bare_client.hpp"
#include "first_failure.hpp"
#include "line_watch.hpp"
#include "progress.hpp"
#include "run_to_end.hpp"
#include "scenarios.hpp"

#include <turnstile.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <fstream>
#include <malloc.h>
#include <unistd.h>

namespace turnstile::bench {

namespace asio = boost::asio;

namespace {

constexpr const char* memory_path = "/bench/memory";
constexpr std::size_t warm_up_waiters = 100;

double resident_bytes() {
    ::malloc_trim(0); // what was given back counts for nobody
    std::ifstream statm("/proc/self/statm");
    double all = 0;
    double resident = 0;
    statm >> all >> resident;
    return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

/// A line of one session, made and drained.
class waiting_line {
public:
    waiting_line(asio::io_context& context, const target& server)
        : context_(context),
          eyes_(server.first()),
          watch_(server, eyes_, memory_path, [this] { check(); }),
          session_(context, server.options()),
          lock_(session_, memory_path) {}

    asio::awaitable<void> run(std::size_t waiters) {
        co_await session_.connect();
        co_await bytes_of(warm_up_waiters);
        bytes_ = co_await bytes_of(waiters);
        co_await session_.close();
    }
    /// Of all waiters together.
    double bytes() const { return bytes_; }

private:
    asio::awaitable<double> bytes_of(std::size_t waiters) {
        auto first = co_await lock_.acquire();
        served_ = 0;
        const auto before = resident_bytes();
        for (std::size_t i = 0; i < waiters; ++i)
            asio::co_spawn(context_, wait_in_line(), failure_.handler());
        co_await watch_.complete(waiters + 1, shown_);
        co_await watch_.settled();
        const auto taken = resident_bytes() - before;
        co_await first.release();
        auto last = co_await lock_.acquire(); // behind all of them
        co_await last.release();
        check();
        if (served_ != waiters)
            throw std::runtime_error("memory: somebody in line was passed over");
        co_return taken;
    }
    asio::awaitable<void> wait_in_line() {
        auto held = co_await lock_.acquire();
        ++served_;
        co_await held.release();
    }
    void check() const { failure_.check(); }

    asio::io_context& context_;
    bare_client eyes_;
    progress shown_{"memory"};
    line_watch watch_;
    session session_;
    mutex lock_;
    std::size_t served_ = 0;
    double bytes_ = 0;
    first_failure failure_;
};

} // namespace

rows measure_memory(const target& server, std::size_t waiters) {
    asio::io_context context(1);
    waiting_line line(context, server);
    run_to_end(context, line.run(waiters));
    row result{.scenario = "memory", .strategy = "turnstile", .lock = "mutex"};
    result.waiters = waiters;
    result.sessions = 1;
    result.count = waiters;
    result.bytes_per_waiter = line.bytes() / static_cast<double>(waiters);
    return {result};
}

} // namespace turnstile::bench
