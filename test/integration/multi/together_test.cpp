// SPDX-License-Identifier: BSL-1.0
// A multi_lock whose parts are locks of one session: they are acquired in one transaction. The
// tickets behind the first lock that is not free are taken back, and made again once that lock is
// held.
#include "integration/multi/multi_stage.hpp"
#include "integration/support/fault_rig.hpp"
#include "support/frame_proxy.hpp"

namespace {

/// Many locks of one session, whose paths are known.
struct many_locks : fixture {
    explicit many_locks(std::size_t count)
        : locks(locks_of(s, count)), all(std::vector<lock_view>(locks.begin(), locks.end())) {
        auto lock = acquire_now(*this, all);
        release_now(*this, lock);
    }
    static std::vector<mutex> locks_of(session& owner, std::size_t count) {
        std::vector<mutex> result;
        for (std::size_t number = 0; number < count; ++number)
            result.emplace_back(owner, path_of(number));
        return result;
    }
    static std::string path_of(std::size_t number) {
        return "/locks/crowd-" + std::to_string(number);
    }
    std::size_t tickets_at(std::size_t number) const {
        return children_of(path_of(number), server.address()).size();
    }
    /// How many tickets stand at each lock, in the order of the names.
    std::vector<std::size_t> tickets_at_each() const {
        std::vector<std::size_t> result;
        for (std::size_t number = 0; number < locks.size(); ++number)
            result.push_back(tickets_at(number));
        return result;
    }
    std::uint64_t transactions() const {
        return proxy.stats().count(direction::to_server, op::multi);
    }

    zookeeper_server server{{.max_session_timeout_ms = 4'000'000}};
    frame_proxy proxy{server.port()};
    session s{context, without_beats(proxy.address())};
    session other{context, without_beats(server.address())}; // past the proxy
    std::vector<mutex> locks;
    multi_lock all;
};

} // namespace

TEST_CASE("a part that is taken back counts as cancelled in its session's usage") {
    multi_stage s;
    auto theirs = acquire_now(s, s.their_first); // the first of our two locks
    multi_lock both{s.our_first, s.our_second};
    cancellable ours;
    both.acquire(ours.token());
    s.run_until([&] { return s.here.usage().locks.cancelled == 1; });
    CHECK(s.here.usage().locks.waiting() == 1); // for the first
    release_now(s, theirs);
    s.run_until([&] { return ours.done(); });
    CHECK(s.here.usage().locks.acquires == 3); // the second was acquired twice
    CHECK(s.here.usage().locks.granted == 2);
    CHECK(both.usage().cancelled == 0);
}

TEST_CASE("a thousand free locks whose paths are known are taken in one request") {
    many_locks f(1000);
    const auto before = f.transactions();
    auto lock = acquire_now(f, f.all);
    CHECK(f.transactions() - before == 1);
    CHECK(lock.fencing_tokens().size() == 1000);
    for (const auto number : {0U, 500U, 999U})
        CHECK(f.tickets_at(number) == 1);
    release_now(f, lock);
    CHECK(f.tickets_at(999) == 0);
}

TEST_CASE("a multi_lock that waits for one lock holds nothing behind it in the order") {
    many_locks f(6);
    mutex theirs{f.other, f.path_of(2)};
    auto taken = acquire_now(f, theirs);
    probe result;
    f.all.acquire(result.make());
    f.run_until([&] { return f.tickets_at_each() == std::vector<std::size_t>{1, 1, 2, 0, 0, 0}; });
    mutex last{f.other, f.path_of(5)}; // another session gets it meanwhile
    auto held = acquire_now(f, last);
    release_now(f, held);
    release_now(f, taken);
    REQUIRE(end_of(f, result) == error_code{});
    CHECK(f.tickets_at(5) == 1);
    release_now(f, result.lock());
}
