// SPDX-License-Identifier: BSL-1.0
// What is logged, and where it goes.
#include "integration/support/cancel_support.hpp"
#include "integration/support/fault_rig.hpp"
#include "integration/support/log_record.hpp"

#include "session/session_log.hpp"
#include "support/frame_proxy.hpp"
#include "support/unique_fd.hpp"

#include <condition_variable>
#include <fcntl.h>
#include <stop_token>
#include <unistd.h>

namespace {

// A standard error output that takes nothing any more. Whoever blocks on it all the same is let go
// by a thread in the end, and found out.
class clogged_stderr {
public:
    clogged_stderr() : kept_(::dup(STDERR_FILENO)) {
        std::array<int, 2> ends{};
        REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
        read_ = unique_fd{ends[0]};
        unique_fd write{ends[1]};
        ::fcntl(write.get(), F_SETFL, O_NONBLOCK);
        const std::string page(4096, '.');
        while (::write(write.get(), page.data(), page.size()) > 0) {
        }
        ::fcntl(write.get(), F_SETFL, 0); // from now on a write would block
        ::dup2(write.get(), STDERR_FILENO);
        guard_ = std::jthread{[this](const std::stop_token& over) { watch(over); }};
    }
    clogged_stderr(const clogged_stderr&) = delete;
    clogged_stderr& operator=(const clogged_stderr&) = delete;
    ~clogged_stderr() {
        ::dup2(kept_.get(), STDERR_FILENO); // the pipe's last writer is gone
        guard_ = {};
    }
    [[nodiscard]] bool had_to_be_drained() const { return drained_; }

private:
    void watch(const std::stop_token& over) {
        std::mutex own;
        std::unique_lock lock{own};
        std::condition_variable_any stopped;
        stopped.wait_for(lock, over, 20s, [] { return false; });
        if (over.stop_requested())
            return;
        drained_ = true;
        std::array<char, 4096> page{};
        while (!over.stop_requested() && ::read(read_.get(), page.data(), page.size()) > 0) {
        }
    }

    unique_fd kept_;
    unique_fd read_;
    std::atomic<bool> drained_ = false;
    std::jthread guard_;
};

} // namespace

TEST_CASE("a server that turns each attempt away is named once") {
    frame_proxy proxy{shared_server().port()};
    proxy.set_outage(true);
    log_record told;
    fixture f;
    auto options = impatient(proxy.address());
    options.log = {.level = log_level::warning, .sink = told.sink()};
    session s{f.context, options};
    contender user{s, fresh_path("log")};
    user.acquire();
    f.run_until([&] { return proxy.stats().connections >= 10; });
    REQUIRE(told.lines.size() == 1);
    INFO(told.lines[0].second);
    CHECK(told.mentions(proxy.address() + " cannot be used: the server closed the connection "
                                          "before it answered: it may have no majority, "
                                          "maxClientCnxns of its zoo.cfg may be reached"));
    proxy.set_outage(false);
    f.run_until([&] { return user.holds(); });
    proxy.cut_all(); // it had answered: each loss is told
    f.run_until([&] { return told.mentions("connection to " + proxy.address() + " lost: "); });
}

TEST_CASE("a session tells its story: connected, granted, lost, and connected again") {
    const auto path = fresh_path("log");
    session_book seen;
    frame_proxy proxy{"127.0.0.1", shared_server().port(), &seen};
    log_record told;
    fixture f;
    auto options = impatient(proxy.address());
    options.log = {.level = log_level::info, .sink = told.sink()};
    session s{f.context, options};
    contender holder{s, path};
    acquire_now(f, holder);
    REQUIRE(told.lines.size() == 2);
    std::array<char, 40> id{};
    std::snprintf(id.data(), id.size(), "session 0x%llx", static_cast<unsigned long long>(s.id()));
    const auto begin = id.data() + (" at " + proxy.address() + ": ");
    CHECK(told.lines[0].second == begin + "connected, session timeout 4000 ms");
    CHECK(told.lines[1].second ==
          begin + "granted " + path + ", token " + holder.lock.fencing_token().str());
    proxy.cut_all();
    f.run_until([&] { return told.mentions("reconnected"); });
    proxy.set_black_hole(true);
    f.run_until([&] { return holder.loss.has_value(); });
    CHECK(told.mentions("at risk: "));
    CHECK(told.mentions("lost " + path + ": the lock was lost because nothing proved in time"));
    f.run_until([&] { return told.mentions("nothing is held any more that is at risk"); });
    CHECK_FALSE(told.mentions("out of danger")); // nothing proves that
    proxy.set_black_hole(false);
    const auto reconnects = [&] {
        return std::ranges::count_if(told.lines, [](const auto& line) {
            return line.second.find("connected, ") != std::string::npos;
        });
    };
    f.run_until([&] { return reconnects() == 3; });
    CHECK_FALSE(told.mentions("ZOO_")); // the C client's own words
}

TEST_CASE("a standard error output that takes nothing holds nobody up") {
    frame_proxy proxy{shared_server().port()};
    proxy.set_outage(true);
    fixture f;
    bool drained = false;
    {
        const clogged_stderr blocked;
        auto options = options_for(proxy.address());
        options.log.level = log_level::debug; // messages all the way
        session s{f.context, options};
        contender user{s, fresh_path("log")};
        user.acquire();
        f.run_until([&] { return proxy.stats().connections > 1; });
        proxy.set_outage(false);
        f.run_until([&] { return user.holds(); }, 60s);
        user.release();
        f.run_until([&] { return user.release_result.has_value(); });
        drained = blocked.had_to_be_drained();
    }
    CHECK_FALSE(drained);
}

TEST_CASE("a standard error output without a reader kills no process") {
    int ends[2] = {-1, -1};
    REQUIRE(::pipe(ends) == 0);
    ::close(ends[0]);
    const int kept = ::dup(STDERR_FILENO);
    REQUIRE(::dup2(ends[1], STDERR_FILENO) == STDERR_FILENO);
    ::close(ends[1]);
    detail::write_log({}, log_level::error, "to nobody"); // else by SIGPIPE
    REQUIRE(::dup2(kept, STDERR_FILENO) == STDERR_FILENO);
    ::close(kept);
}
