// SPDX-License-Identifier: BSL-1.0
// close: what it sends, what it ends, and that it comes to an end itself.
#include "integration/support/cancel_support.hpp"

namespace {

enum class trouble { refused, silent };

session_options hasty(const std::string& address) {
    auto options = options_for(address);
    options.connect_timeout = std::chrono::milliseconds{300};
    options.log.level = log_level::none; // the trouble is expected
    return options;
}

// The C client's own close would block for 1.5 to 3 s; nothing here takes more than milliseconds.
constexpr std::chrono::seconds blocking{1};

// An answer by which a server asks for a pause: length, number and zxid, and the error -127.
std::string throttled(std::string frame) {
    frame.resize(20);
    return frame.replace(0, 4, std::string("\0\0\0\x10", 4)).replace(16, 4, "\xff\xff\xff\x81");
}

class stopwatch {
public:
    void lap() {
        const auto now = std::chrono::steady_clock::now();
        longest_ = std::max(longest_, now - last_);
        last_ = now;
    }
    [[nodiscard]] std::chrono::nanoseconds longest() const { return longest_; }

private:
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
    std::chrono::nanoseconds longest_{0};
};

} // namespace

TEST_CASE("close sends the pending releases first and ends the session at the server") {
    fixture f;
    const auto path = fresh_path("close-releases");
    frame_proxy proxy{shared_server().port()};
    session other{f.context, options_for()};
    session s{f.context, options_for(proxy.address())};
    mutex theirs{other, path};
    mutex lock{s, path};
    mutex kept{s, fresh_path("close-kept")};
    auto held = acquire_now(f, lock);
    auto lost = acquire_now(f, kept);
    auto next = stand_in_line(f, theirs, 2);
    probe release;
    probe close;
    probe told;
    lost.wait_lost(told.make());
    const auto word = proxy.add_rule({.op = op::close_session, .action = action::hold});
    held.release(release.make());
    s.close(close.make());
    // The release gets through although the close is still on its way.
    run_until_hit(f, proxy, word);
    f.run_until([&] { return next.done() && release.done(); });
    CHECK(release.code() == error_code{});
    CHECK(next.lock().is_held());
    CHECK(children_of(path).size() == 1);
    CHECK(children_of(kept.path()).size() == 1); // the session stands
    CHECK(close.pending());
    proxy.release_held();
    CHECK(end_of(f, close) == error_code{});
    CHECK(told.code() == error::session_closed);
    CHECK(children_of(kept.path()).empty());
}

TEST_CASE("a close that is cut off tells no release as carried out") {
    fixture f;
    frame_proxy proxy{shared_server().port()};
    session s{f.context, hasty(proxy.address())};
    mutex lock{s, fresh_path("close-cut")};
    auto held = acquire_now(f, lock);
    const auto sent_back = proxy.add_rule({.direction = direction::to_client,
                                           .op = op::multi,
                                           .path = lock.path(),
                                           .action = action::wrong_bytes,
                                           .rewritten = throttled});
    const auto cut = proxy.add_rule({.op = op::close_session, .action = action::cut_before});
    probe release;
    held.release(release.make());
    run_until_hit(f, proxy, sent_back);
    probe close; // the release is to be sent again a while later
    s.close(close.make());
    run_until_hit(f, proxy, cut);
    f.run_until([&] { return close.done() && release.done(); });
    CHECK(release.code() == error::unreachable);
}

TEST_CASE("close comes to an end although no server can be reached") {
    const auto how = GENERATE(trouble::refused, trouble::silent);
    fixture f;
    const auto path = fresh_path("close-unreachable");
    frame_proxy proxy{shared_server().port()};
    session s{f.context, hasty(proxy.address())};
    mutex lock{s, path};
    auto held = acquire_now(f, lock);
    auto other = acquire_now(f, *std::make_unique<mutex>(s, fresh_path("close-unreachable")));
    auto acquire = stand_in_line(f, lock, 2);
    if (how == trouble::refused) {
        proxy.set_outage(true);
        proxy.cut_all();
        f.run_until([&] { return s.state() == session_state::suspended; });
    } else {
        proxy.set_black_hole(true);
    }
    probe release;
    other.release(release.make());
    probe close;
    s.close(close.make());
    stopwatch handlers;
    f.run_until([&] {
        handlers.lap();
        return close.done();
    });
    CHECK(handlers.longest() < blocking);
    CHECK(close.code() == error_code{});
    f.run_until([&] { return release.done() && acquire.done(); });
    CHECK(acquire.code() == error::session_closed);
    CHECK(s.state() == session_state::closed);
    CHECK_FALSE(held.is_held());
    f.run_out();
    await_empty(path); // the session expires
}

TEST_CASE("a session is destroyed without delay although its socket takes nothing any more") {
    zookeeper_server server{{}};
    fixture f;
    auto options = options_for(server.address());
    options.log.level = log_level::none;
    options.label.assign(200'000, 'x'); // in the data of each ticket
    std::optional<session> s{std::in_place, f.context, options};
    mutex lock{*s, "/locks/orders"};
    auto held = acquire_now(f, lock);
    server.pause(); // the kernels' buffers fill
    std::deque<probe> waiting(100);
    for (auto& one : waiting)
        lock.acquire(one.make());
    f.context.poll(); // 20 MB: more than any of these buffers takes
    stopwatch watch;
    s.reset();
    f.context.restart();
    f.context.poll();
    watch.lap();
    CHECK(watch.longest() < blocking);
    CHECK(f.context.stopped());
    for (auto& one : waiting)
        CHECK(one.code() == error::session_closed);
    server.resume();
}
