// SPDX-License-Identifier: BSL-1.0
// Locks that may be held for a limited time, of each kind.
#include "lease_rig.hpp"

namespace {

// Of two sessions one holds, and the other waits.
struct limit_rig {
    const std::string path = fresh_path("limit");
    onlooker eyes{shared_server().address()};
    fixture f;
    session holds{f.context, short_session(shared_server().address())};
    session waits{f.context, short_session(shared_server().address())};

    held_lock acquire(const lock_view of) { // not by reference: the view is a temporary
        held_lock result;
        std::optional<error_code> over;
        of.acquire([&](error_code why, held_lock lock) {
            over = why;
            result = std::move(lock);
        });
        f.run_until([&] { return over.has_value(); });
        REQUIRE_FALSE(*over);
        return result;
    }
    /// The cause that is told, where the acquire is refused for its arguments.
    std::string refusal(const lock_view of) {
        diagnostics diag;
        std::optional<error_code> over;
        of.acquire(with_diagnostics(diag, [&](error_code why, const held_lock&) { over = why; }));
        f.run_until([&] { return over.has_value(); });
        CHECK(over == boost::asio::error::invalid_argument);
        return diag.cause;
    }
    std::optional<error_code>& loss_of(const held_lock& lock) {
        lock.wait_lost([this](error_code why) { loss = why; });
        return loss;
    }
    std::optional<error_code> loss{};
};

} // namespace

TEST_CASE("a lock of each kind is lost at its limit, and the next holds it after the deadline") {
    limit_rig r;
    semaphore pool{r.holds, r.path, 2};
    semaphore same_pool{r.waits, r.path, 2};
    mutex line{r.holds, r.path};
    shared_mutex book{r.waits, r.path};
    shared_mutex same_book{r.holds, r.path};
    single_node_mutex node{r.holds, r.path};
    single_node_mutex same_node{r.waits, r.path};
    const std::vector<std::pair<lock_view, lock_view>> pairs{
        {line, book}, {node, same_node}, {same_book.shared(), book}, {pool.permits(2), same_pool}};
    const auto& [first, next] = pairs[GENERATE(0U, 1U, 2U, 3U)];
    const auto begun = lease_clock::now();
    const auto lock = r.acquire(first.at_most(300ms));
    const auto granted = lease_clock::now();
    CHECK(lock.deadline() < granted + 300ms + 1s);
    auto& loss = r.loss_of(lock);
    std::optional<error_code> risk;
    lock.wait_at_risk([&](error_code why) { risk = why; });
    r.f.run_until([&] { return risk.has_value(); }); // at once: 300 ms are less than the warning
    CHECK(lock.is_at_risk());
    const auto after = r.acquire(next);
    CHECK(lease_clock::now() >= begun + 300ms);
    CHECK(after.is_held());
    CHECK_FALSE(lock.is_held());
    CHECK(loss == error::held_too_long);
    CHECK(risk == error_code());
    CHECK(lock.deadline() <= lease_clock::now());
    CHECK(lock.deadline() > begun + 300ms);
}

TEST_CASE("is_held is false from the end of the limit on, while the session's thread is busy") {
    limit_rig r;
    mutex orders{r.holds, r.path};
    auto lock = r.acquire(orders.at_most(100ms));
    auto further = lock.share();
    std::this_thread::sleep_for(101ms); // justified: the busy thread itself
    CHECK_FALSE(lock.is_held());
    CHECK_FALSE(further.is_held());
    CHECK(lock.is_at_risk());
    std::optional<error_code> released;
    lock.release([&](error_code why) { released = why; });
    r.f.run_until([&] { return released.has_value(); });
    CHECK(released == error::held_too_long);
    CHECK(released == condition::lock_lost);
}

TEST_CASE("a release before the limit is a release, and the next acquire has a limit of its own") {
    limit_rig r;
    mutex orders{r.holds, r.path};
    for (int i = 0; i < 2; ++i) {
        auto lock = r.acquire(orders.at_most(1h));
        CHECK_FALSE(lock.is_at_risk());
        std::optional<error_code> released;
        lock.release([&](error_code why) { released = why; });
        r.f.run_until([&] { return released.has_value(); });
        CHECK(released == error_code());
    }
    CHECK(r.holds.usage().locks.lost == 0);
}

TEST_CASE("several locks are lost as one when the limit of one is over") {
    limit_rig r;
    mutex orders{r.holds, r.path + "-a"};
    mutex stock{r.holds, r.path + "-b"};
    multi_lock both{orders.at_most(200ms), stock};
    held_lock lock;
    both.acquire([&](error_code, held_lock granted) { lock = std::move(granted); });
    r.f.run_until([&] { return lock.is_held(); });
    auto& loss = r.loss_of(lock);
    r.f.run_until([&] { return loss.has_value(); });
    CHECK(loss == error::held_too_long);
    CHECK_FALSE(lock.is_held());
}

TEST_CASE("a limit that is not above zero is refused, and named") {
    limit_rig r;
    mutex orders{r.holds, r.path};
    for (const auto& view :
         {orders.at_most(0s), orders.at_most(-1h), orders.at_most(0s).at_most(-1s),
          orders.at_most(std::chrono::duration<double>(std::numeric_limits<double>::quiet_NaN()))})
        CHECK(r.refusal(view) == "at_most: a time above zero is needed");
    CHECK(r.acquire(orders.at_most(0s).at_most(1h)).is_held());
    CHECK(r.acquire(orders.at_most(std::chrono::hours::max())).is_held());
}

TEST_CASE("a limit takes back nothing else that is wrong with a view") {
    limit_rig r;
    semaphore pool{r.holds, r.path, 2};
    CHECK(r.refusal(pool.permits(0).at_most(1h)) == r.path + ": permits(0), and 1 is the least");
}
