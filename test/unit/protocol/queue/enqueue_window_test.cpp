// SPDX-License-Identifier: BSL-1.0
// A burst of acquires: only some enqueues are under way, and the others go in their order.
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

const std::string enqueue_here = "enqueue /l/turn-5-lock-";

settings two_at_once() {
    auto options = machine_fixture::defaults();
    options.enqueue_window = 2;
    return options;
}

/// Ticket 1 waits, and ticket 2 as well; the others wait for their turn.
machine_fixture& burst(machine_fixture& f, ticket_id last) {
    f.connect();
    for (ticket_id id = 1; id <= last; ++id)
        f.acquire(id);
    f.reply("get /l", replies::folder(5));
    return f;
}

std::string request_of_last(const machine_fixture& f) {
    const auto& data = f.wire.open.back().what.data;
    const auto begin = data.find("request=") + 8;
    return data.substr(begin, data.find('\n', begin) - begin);
}

} // namespace

TEST_CASE("an answered enqueue lets the next one go") {
    machine_fixture f(two_at_once());
    burst(f, 4);
    CHECK(f.open() == texts{enqueue_here, enqueue_here});
    CHECK(request_of_last(f) == "0-2");
    f.enqueued(0, 0);
    CHECK(f.events() == texts{"granted 1 token 100"});
    CHECK(f.open() == texts{enqueue_here, enqueue_here});
    CHECK(request_of_last(f) == "0-3");
    f.enqueued(1, 1); // a neighbour of ours needs no look
    CHECK(f.open() == texts{enqueue_here, enqueue_here});
    CHECK(request_of_last(f) == "0-4");
    f.enqueued(2, 2);
    CHECK(f.open() == texts{enqueue_here});
}

TEST_CASE("those that line up for permits keep their turn before locks that came later") {
    user_of_permits f(two_at_once());
    burst(f, 5);
    f.pass(1ms);
    f.take(10);
    f.pass(1ms);
    f.acquire(6);
    f.acquire(7);
    f.enqueued(0, 0);
    f.enqueued(1, 1);
    f.told_limit(3);
    f.enqueued(2, 2);
    f.enqueued(3, 3);
    f.tried(1, 1, 0); // somebody stands in line
    f.enqueued(4, 4);
    CHECK(f.open().back() == enqueues);
}
