// SPDX-License-Identifier: BSL-1.0
// Somebody's ticket is deleted by an operator.
#include "integration/fault/fault_outage.hpp"
#include "integration/support/access_support.hpp"
#include "integration/support/cancel_support.hpp"
#include "support/foreign_client.hpp"

namespace {

template <class Lock>
error_code outcome_of_evict(fixture& f, Lock& lock, const participant& who) {
    return result_of(f, [&](auto token) { lock.evict(who, std::move(token)); });
}

/// A holder here, and an operator there.
template <class Lock, class... More>
struct evict_stage : fixture {
    explicit evict_stage(More... more) : ours(here, path, more...), theirs(there, path) {}

    /// The first in line is sent away.
    void evict_first() {
        const auto line = line_of(*this, theirs);
        REQUIRE_FALSE(line.empty());
        CHECK(outcome_of_evict(*this, theirs, line.front()) == error_code{});
    }

    const std::string path = fresh_path("evict");
    session here{context, options_for()};
    session there{context, options_for()};
    Lock ours;
    Lock theirs;
};

error_code loss_of(fixture& f, held_lock& lock) {
    return result_of(f, [&](auto token) { lock.wait_lost(std::move(token)); });
}

} // namespace

TEST_CASE("who holds a lock is told of the loss, and the next in line gets it") {
    evict_stage<mutex> f;
    auto held = acquire_now(f, f.ours);
    auto next = stand_in_line(f, f.theirs, 2);
    f.evict_first();
    CHECK(loss_of(f, held) == error::ticket_deleted);
    CHECK(end_of(f, next) == error_code{});
    CHECK(next.lock().is_held());
}

namespace {

/// Three acquires of one lock, one behind the other, and the path of the line they stand in.
struct three_in_line {
    using acquire = std::function<void(probe&)>;

    acquire holds;
    acquire waits;
    acquire next;
    std::string line;
    std::size_t holding = 1; // tickets of the holder in that line
};

/// The ticket that waits is deleted at this age, and the holder releases right behind it.
void delete_waiter(fixture& f, const three_in_line& of, std::chrono::milliseconds age) {
    foreign_client by{shared_server().address()};
    const auto in_line = [&](std::size_t count) {
        f.run_until([&] { return children_of(of.line).size() == of.holding + count; });
    };
    probe holds;
    probe waits;
    probe next;
    of.holds(holds);
    REQUIRE(end_of(f, holds) == error_code{});
    of.waits(waits);
    in_line(1);
    of.next(next);
    in_line(2);
    boost::asio::steady_timer aged{f.context, age};
    probe grown;
    aged.async_wait(grown.make());
    f.run_until([&] { return grown.done(); });
    auto line = children_of(of.line);
    std::ranges::sort(line, {}, [](const auto& name) { return name.substr(name.size() - 10); });
    REQUIRE(by.remove(of.line + '/' + line[of.holding]) == 0);
    probe released;
    holds.lock().release(released.make());
    CHECK(end_of(f, next) == error_code{});
    // Whoever was granted by the ticket that is gone has lost it before this one was granted.
    CHECK_FALSE((waits.done() && waits.lock().is_held()));
    release_now(f, next.lock());
    if (!waits.done() || waits.lock().is_held()) { // it has lined up again
        f.run_until([&] { return waits.done() && waits.lock().is_held(); });
        release_now(f, waits.lock());
    }
    f.run_until([&] { return released.done() && children_of(of.line).empty(); });
}

struct deletion_stage : fixture {
    const std::string path = fresh_path("deleted");
    session one{context, options_for()};
    session two{context, options_for()};
    session three{context, options_for()};
};

three_in_line::acquire writer(shared_mutex& lock) {
    return [&lock](probe& by) { lock.acquire(by.make()); };
}

three_in_line::acquire reader(shared_mutex& lock) {
    return [&lock](probe& by) { lock.shared().acquire(by.make()); };
}

three_in_line::acquire one_lease(semaphore& of) {
    return [&of](probe& by) { of.acquire(by.make()); };
}

} // namespace

TEST_CASE("who is deleted while it waits holds nothing beside the next in line") {
    using std::chrono_literals::operator""ms;
    deletion_stage f;
    shared_mutex holders{f.one, f.path};
    shared_mutex waiters{f.two, f.path};
    shared_mutex nexts{f.three, f.path};
    const auto waits =
        GENERATE_REF(writer(waiters), reader(waiters), writer(holders), reader(holders));
    const auto age = GENERATE(0ms, 300ms);
    for (int i = 0; i < 5; ++i)
        delete_waiter(f, {writer(holders), waits, writer(nexts), f.path}, age);
}

TEST_CASE("who is deleted while it waits for a lease holds none beside the next in line") {
    using std::chrono_literals::operator""ms;
    deletion_stage f;
    semaphore holders{f.one, f.path, 1};
    semaphore waiters{f.two, f.path, 1};
    semaphore nexts{f.three, f.path, 1};
    const auto waits = GENERATE_REF(one_lease(waiters), one_lease(holders));
    const auto age = GENERATE(0ms, 300ms);
    for (int i = 0; i < 5; ++i)
        delete_waiter(f, {one_lease(holders), waits, one_lease(nexts), f.path + "/queue", 0}, age);
}

TEST_CASE("with one lease of several, all of the acquire are lost") {
    evict_stage<semaphore, int> f{3};
    auto held = acquire_now(f, f.ours.permits(2));
    f.evict_first();
    CHECK(loss_of(f, held) == error::ticket_deleted);
    f.run_until([&] { return line_of(f, f.theirs).empty(); });
}

TEST_CASE("the holder of a lock of one node is sent away, and no other") {
    evict_stage<single_node_mutex> f;
    auto first = acquire_now(f, f.ours);
    const auto meant = line_of(f, f.theirs).front();
    f.evict_first();
    CHECK(loss_of(f, first) == error::ticket_deleted);
    auto second = acquire_now(f, f.ours);
    CHECK(outcome_of_evict(f, f.theirs, meant) == error_code{}); // it has left
    CHECK(line_of(f, f.theirs).size() == 1);
    release_now(f, second);
}

TEST_CASE("another program's ticket is deleted as well") {
    evict_stage<mutex> f;
    foreign_client other{shared_server().address()};
    other.create("/locks");
    REQUIRE(other.create(f.path) == 0);
    REQUIRE(other.create(f.path + "/a__lock__", "", create_mode::ephemeral_sequential) == 0);
    f.evict_first();
    CHECK(children_of(f.path).empty());
}

TEST_CASE("whose details are not known is not deleted") {
    evict_stage<mutex> f;
    auto held = acquire_now(f, f.ours);
    const auto line = line_of(f, f.theirs, 0);
    REQUIRE(line.size() == 1);
    CHECK(outcome_of_evict(f, f.theirs, line[0]) == boost::asio::error::invalid_argument);
    CHECK(held.is_held());
    release_now(f, held);
}

TEST_CASE("a ticket whose deletion was answered to nobody is looked for again") {
    const auto fault = GENERATE(action::cut_before, action::cut_after);
    outage_rig r;
    const auto path = fresh_path("evict-fault");
    session other{r.f.context, options_for()};
    mutex theirs{other, path};
    mutex ours{r.s, path};
    auto held = acquire_now(r.f, theirs);
    const auto line = line_of(r.f, ours);
    REQUIRE(line.size() == 1);
    const auto rule =
        r.prepare({.op = op::multi, .part = op::remove, .path = path, .action = fault});
    probe evicted;
    ours.evict(line[0], evicted.make());
    r.pass_through(rule);
    CHECK(end_of(r.f, evicted) == error_code{});
    CHECK(loss_of(r.f, held) == error::ticket_deleted);
}

TEST_CASE("who may not delete in a lock path is told so") {
    fixture f;
    const auto path = path_for_anyone(every_right & ~8);
    session owner{f.context, options_as(alice)};
    mutex hers{owner, path};
    auto held = acquire_now(f, hers);
    session guest{f.context, options_as({})};
    mutex theirs{guest, path};
    const auto line = line_of(f, theirs);
    REQUIRE(line.size() == 1);
    CHECK(outcome_of_evict(f, theirs, line[0]) == error::release_denied);
    CHECK(held.is_held());
    release_now(f, held);
}
