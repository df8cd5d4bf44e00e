// SPDX-License-Identifier: BSL-1.0
// A reader that is preempted between its reads never believes in a lock that was lost.
#include "session/locks/held_view.hpp"
#include "session/locks/ticket_lock.hpp"

#include "support/pch.hpp"

using namespace turnstile;
using namespace turnstile::detail;
using namespace std::chrono_literals;

namespace {

constexpr lease_clock::time_point view_at(lease_clock::duration since) {
    return lease_clock::time_point{since};
}

// A lock and its session, as the strand writes them. The strand does what it has to between two
// reads of the reader: before the one with the number `preempted`.
struct scene {
    int preempted = -1;
    mutable int read = 0;
    mutable lease_clock::time_point clock = view_at(1s);
    mutable bool lost = false;
    mutable lease_clock::time_point lease = view_at(10s); // of all three instants
    mutable lease_clock::time_point at_loss{};

    bool is_lost() const { return (step(), lost); }
    lease_clock::time_point last_deadline() const { return at_loss; }
    lease_clock::time_point now() const { return (step(), clock); }
    lease_clock::time_point deadline() const { return (step(), lease); }
    lease_clock::time_point loss_at() const { return (step(), lease); }
    lease_clock::time_point risk() const { return (step(), lease); }

private:
    // The deadline goes by, the loss is told, and a later proof moves the deadline on.
    void step() const {
        if (read++ != preempted)
            return;
        clock = view_at(11s);
        at_loss = lease;
        lost = true;
        lease = view_at(30s);
    }
};

constexpr int most_reads = 3;

// As held_lock reads them; the clock's answer is kept.
struct shared_reads {
    const lease_view& lease;
    const ticket_lock& lock;
    mutable lease_clock::time_point asked_at{};

    bool is_lost() const { return lock.loss() != protocol::failure::none; }
    lease_clock::time_point loss_at() const { return lease.loss_at(); }
    lease_clock::time_point now() const { return asked_at = lease_clock::now(); }
};

} // namespace

TEST_CASE("a lock that nothing happens to is held, and is not at risk") {
    const scene calm;
    CHECK(held_view(calm).is_held());
    CHECK_FALSE(held_view(calm).is_at_risk());
    CHECK(held_view(calm).deadline() == view_at(10s));
}

TEST_CASE("a reader preempted while the lock is lost does not pair it with a later lease") {
    for (int preempted = 0; preempted < most_reads; ++preempted) {
        INFO("before read " << preempted);
        const scene held{preempted};
        const bool is_held = held_view(held).is_held();
        if (held.lost)
            CHECK_FALSE(is_held);
        const scene risk{preempted};
        const bool is_at_risk = held_view(risk).is_at_risk();
        if (risk.lost)
            CHECK(is_at_risk);
        const scene deadline{preempted};
        CHECK(held_view(deadline).deadline() == view_at(10s));
    }
}

TEST_CASE("a reader on another thread does not pair a lost lock with a later lease") {
    struct round {
        ticket_lock lock{nullptr, nullptr, 1, fencing_token{1}, lease_clock::time_point{}};
        std::atomic<lease_clock::time_point> told{};
    };
    constexpr std::size_t rounds = 500;
    const auto all = std::make_unique<std::array<round, rounds>>();
    const auto lease_until = [](lease_clock::time_point instant) {
        const auto until = instant;
        return protocol::lease_instants{.deadline = until, .loss_at = until, .risk = until};
    };
    lease_view lease;
    std::atomic<std::size_t> current{0};
    std::atomic<bool> over{false};
    all->front().told = lease_clock::now();
    std::thread strand([&] {
        for (std::size_t i = 0; i < rounds; ++i) {
            const auto told = lease_clock::now() + 30us;
            all->at(i).told = told;
            lease.set(lease_until(told));
            current = i;
            while (lease_clock::now() < told)
                std::this_thread::yield();
            all->at(i).lock.lose(protocol::failure::lease_lost, told);
            lease.set(lease_until(told + 1h)); // proved by a beat, too late for this lock
        }
        over = true;
    });
    std::size_t wrong = 0;
    while (!over) {
        const auto& now = all->at(current);
        const shared_reads reads{lease, now.lock};
        if (held_view(reads).is_held() && reads.asked_at >= now.told.load())
            ++wrong;
    }
    strand.join();
    CHECK(wrong == 0);
}
