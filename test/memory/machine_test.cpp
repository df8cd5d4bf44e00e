// Every allocation of a session machine fails once, each in a run of its own.
#include "allocation_fault.hpp"

#include "small_worlds/small_client.hpp"

#include "support/pch.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <new>

using namespace turnstile::protocol;
using namespace turnstile::test;
using namespace std::chrono_literals;
namespace promises = turnstile::promises;

namespace {

settings healthy_options() {
    settings result;
    result.timeout = 1s;
    result.tick = 250ms;
    return result;
}

settings rested_options() {
    auto result = healthy_options();
    result.queue_rest = 3s;
    return result;
}

/// There is no memory for one allocation: of the machine, or of whatever it asks of its port and
/// tells its listener, before or after the fact. The rest of the test has as much as it likes.
class out_of_memory : public small_mishap {
public:
    explicit out_of_memory(allocation_fault& fault) : fault_(fault) {}

    bool survives(const std::function<void()>& input) override {
        try {
            const allocation_fault::window open(fault_);
            input();
            return true;
        } catch (const std::bad_alloc&) {
            return false;
        }
    }
    void around(const std::function<void()>& effect) override {
        allocate_something();
        {
            const allocation_fault::truce own;
            effect();
        }
        allocate_something();
    }

private:
    static void allocate_something() {
        const auto something = std::make_unique<int>(0);
        static_cast<void>(something);
    }

    allocation_fault& fault_;
};

promises::judge judge_of(const std::vector<std::string>& paths) {
    promises::judge result(
        [](promises::acquire_id who) { return "ticket " + std::to_string(who); });
    for (const auto& path : paths)
        result.add(promises::mutex, path);
    return result;
}

// A client that runs out of memory, and another process that wants the same locks.
struct brittle_world {
    explicit brittle_world(std::size_t nth) : fault(nth) {}

    bool deliver() {
        if (subject.broken())
            server.kill(subject.session()); // as its owner does
        bool moved = false;
        for (const auto& on : {subject.connection(), other.connection()})
            for (; on && !on->up.empty(); moved = true)
                server.take_in(on);
        for (; subject.connection() && !subject.connection()->down.empty(); moved = true)
            subject.hear(now);
        for (; other.connection() && !other.connection()->down.empty(); moved = true)
            other.hear(now);
        return moved;
    }
    void settle() {
        while (deliver()) {
        }
    }
    void pass(duration span) {
        settle();
        for (const auto end = now + span;;) {
            const auto first =
                std::min(subject.next_timer().value_or(end), other.next_timer().value_or(end));
            if (first >= end) {
                now = end;
                return;
            }
            now = std::max(now, first);
            subject.tick(now);
            other.tick(now);
            settle();
        }
    }

    instant now{1000s};
    allocation_fault fault;
    small_server server;
    promises::judge judge = judge_of({"/a/b", "/c", "/d"});
    out_of_memory mishap{fault};
    small_client subject{0, judge, rested_options(), &mishap};
    small_client other{1, judge, healthy_options()};
};

void let_go(brittle_world& w, ticket_id id) {
    if (w.subject.stage_of(id) == promises::stage::held)
        w.subject.release(w.now, id);
}

// Everything that an acquire can meet on its way, and a loss, an expiry and a close.
void live_a_life(brittle_world& w) {
    auto& s = w.subject;
    auto& other = w.other;
    s.connect(w.now);
    w.settle();
    s.acquire(w.now, 1, {.path = "/a/b", .limit = {}}); // free
    w.settle();
    s.acquire(w.now, 2, {.path = "/a/b", .limit = {}}); // behind its own session's
    other.acquire(w.now, 101, {.path = "/a/b", .limit = {}});
    w.settle();
    s.acquire(w.now, 3, {.path = "/a/b", .limit = {}}); // behind another session's
    s.acquire(w.now, 4, {.path = "/c", .limit = {}});
    s.acquire(w.now, 5, {.path = "/a/b", .limit = 700ms}); // times out
    w.settle();
    s.cancel(w.now, 3);
    let_go(w, 1);
    w.settle();
    w.pass(500ms);
    s.acquire(w.now, 6, {.path = "/a/b", .limit = {}}); // its create is unresolved
    let_go(w, 4);                                       // and so is this
    s.cut(w.now);
    w.pass(1500ms);
    s.acquire(w.now, 7, {.path = "/a/b", .limit = {}});
    s.cancel(w.now, 7); // before the create is answered
    w.settle();
    let_go(w, 2);
    w.settle();
    if (other.stage_of(101) == promises::stage::held)
        other.release(w.now, 101);
    w.pass(2s);
    s.acquire(w.now, 8, {.path = "/a/b", .limit = {}});
    w.settle();
    s.forsake();
    w.server.kill(s.session());
    s.cut(w.now);
    w.pass(2s);
    let_go(w, 8);
    w.pass(10s); // empty paths are deleted
    s.acquire(w.now, 9, {.path = "/d", .limit = {}});
    w.settle();
    s.close(w.now);
    w.settle();
}

// What the broken one had is anybody's.
void check_free(brittle_world& w) {
    if (w.other.stage_of(101) == promises::stage::held)
        w.other.release(w.now, 101);
    ticket_id id = 200;
    for (const auto path : {"/a/b", "/c", "/d"})
        w.other.acquire(w.now, ++id, {.path = path, .limit = {}});
    w.pass(3s);
    if (w.other.stage_of(101) == promises::stage::held) {
        w.other.release(w.now, 101);
        w.settle();
    }
    for (id = 201; id <= 203; ++id) {
        REQUIRE(w.other.stage_of(id) == promises::stage::held);
        w.other.release(w.now, id);
    }
    w.settle();
    CHECK(w.server.tree().sessions().size() == 1);
    CHECK(w.server.tree().children("/a/b").empty());
}

} // namespace

TEST_CASE("any failed allocation of a session machine ends its session, and nothing else") {
    std::size_t nth = 0;
    std::size_t broken = 0;
    for (bool happened = true; happened;) {
        ++nth;
        INFO("allocation " << nth);
        const auto before = blocks_in_use();
        {
            brittle_world w(nth);
            live_a_life(w);
            happened = w.fault.happened();
            REQUIRE(w.subject.broken() == happened);
            // One of the last may fail when the end has been told already.
            REQUIRE((w.subject.closed() || happened));
            broken += happened ? 1 : 0;
            check_free(w);
            REQUIRE(promises::texts_of(w.judge).empty());
        }
        REQUIRE(blocks_in_use() == before);
    }
    CHECK(broken == nth - 1);
    CHECK(broken > 500);
}
