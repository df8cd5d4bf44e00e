// SPDX-License-Identifier: BSL-1.0
// What a session refuses, and what it lets wait in the process.
#include "unit/protocol/machine_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

// Room for one ticket of "/l" and not for a second one there: an eighth is kept for other paths.
settings one_ticket() {
    auto options = machine_fixture::defaults();
    options.ticket_bytes = 60;
    return options;
}

// Asks for "/l" as a part of several, while it holds others.
struct holder_of_parts : machine_fixture {
    static settings room(std::size_t bytes) {
        auto options = defaults();
        options.ticket_bytes = bytes;
        return options;
    }
    explicit holder_of_parts(std::size_t bytes) : machine_fixture(room(bytes)) {}

    void acquire_later_part(ticket_id id, ticket_kind kind = ticket_kind::exclusive) {
        machine.acquire(now, id, {.path = "/l", .kind = kind, .later_part = true});
    }
};

} // namespace

TEST_CASE("a session has as many tickets as docs/operating.md says of paths of 15 bytes") {
    machine_fixture f;
    f.connect();
    ticket_id granted = 0;
    for (;;) {
        const auto path = "/locks/key-" + digits(static_cast<std::int32_t>(granted)).substr(6);
        REQUIRE(path.size() == 15);
        f.acquire(granted + 1, path);
        if (f.open().empty())
            break;
        const auto incarnation = static_cast<std::int64_t>(0x1000 + granted++);
        f.reply("get " + path, replies::folder(incarnation));
        const auto ticket = f.wire.open.front().what.path;
        f.reply("enqueue " + ticket, replies::placed(ticket + digits(0), 100, 0, incarnation));
    }
    CHECK(granted == 8456);
    CHECK(f.events().back() == "failed 8457 session_full");
}

TEST_CASE("a ticket that may not be deleted is paid for until it is gone") {
    machine_fixture f(one_ticket());
    f.hold();
    f.release(1);
    f.reply("release " + ticket_path(0), replies::no_auth());
    f.reply("delete " + ticket_path(0), replies::no_auth());
    CHECK(f.events() == texts{"released 1 release_denied"});
    f.acquire(2, "/another/path");
    CHECK(f.events() == texts{"failed 2 session_full"});
    SECTION("it is tried again with a beat") {
        f.pass(2s);
        f.reply("get " + ticket_path(0), replies::node(100, our_session));
        f.reply("check /l", replies::ok());
        f.reply("delete " + ticket_path(0), replies::ok());
        f.acquire(4, "/another/path");
        CHECK(f.events().empty());
    }
    SECTION("it goes with the session") {
        f.cut(disconnect_reason::expired);
        f.pass(3s);
        f.accept(other_session);
        f.acquire(4, "/another/path");
        CHECK(f.events().empty());
    }
}

TEST_CASE("an eighth of the budget is kept for paths without a ticket") {
    auto options = machine_fixture::defaults();
    options.ticket_bytes = 1000;
    machine_fixture f(options);
    f.hold();
    for (ticket_id id = 2; id < 100; ++id)
        f.acquire(id);
    f.wire.open.clear();
    f.acquire(100, "/m"); // the holder of "/l" needs this one to get on
    CHECK(f.events().empty());
    CHECK(f.open() == texts{"get /m"});
}

TEST_CASE("who holds other parts shares no ticket that waits for room") {
    holder_of_parts f(90);
    f.hold();
    f.acquire_shared(2);
    REQUIRE(f.open().empty());
    f.acquire_later_part(3, ticket_kind::shared);
    CHECK(f.open() == texts{"enqueue /l/turn-5-read-lock-"});
    CHECK(f.events().empty());
}

TEST_CASE("lock paths above or below one another are refused") {
    machine_fixture f;
    f.connect();
    f.acquire(1, "/a/b");
    f.acquire(2, "/a");
    f.acquire(3, "/a/b/c");
    f.acquire(4, "/a/b/c/d");
    CHECK(f.events() ==
          texts{"failed 2 nested_path", "failed 3 nested_path", "failed 4 nested_path"});
    f.acquire(5, "/a/bc");
    f.acquire(6, "/a/c");
    f.acquire(7, "/a-");
    f.acquire(8, "/a/b");
    CHECK(f.events().empty());
}

TEST_CASE("sequences near the end of the counter are refused, and the ticket taken back") {
    machine_fixture f;
    f.begin_acquire();
    SECTION("at the limit") {
        f.enqueued(sequence_limit, 0);
        CHECK(f.events() == texts{"failed 1 sequence_exhausted"});
        f.reply("delete " + ticket_path(sequence_limit), replies::ok());
        CHECK(f.open() == texts{"delete /l"}); // empty: the counter starts again
    }
    SECTION("just below") {
        f.enqueued(sequence_limit - 1, 0);
        CHECK(f.events() == texts{"granted 1 token " + std::to_string(99 + sequence_limit)});
    }
}

TEST_CASE("a ticket whose name has an overflown sequence is taken back by its name") {
    machine_fixture f;
    f.begin_acquire();
    f.reply("enqueue /l/turn-5-lock-", replies::placed("/l/turn-5-lock--2147483648", 100, 0));
    CHECK(f.events() == texts{"failed 1 sequence_exhausted"});
    CHECK(f.open() == texts{"delete /l/turn-5-lock--2147483648", "delete /l"});
}

TEST_CASE("who tries again at once, where the counter is at its end, comes behind its deletion") {
    machine_fixture f;
    f.begin_acquire();
    SECTION("taken back") { f.enqueued(sequence_limit, 0); }
    SECTION("the name that comes next is there") {
        f.reply("enqueue /l/turn-5-lock-", replies::node_exists());
    }
    CHECK(f.events() == texts{"failed 1 sequence_exhausted"});
    f.acquire(2);
    auto expected = texts{"delete /l", "enqueue /l/turn-5-lock-"};
    if (f.open().size() == 3)
        expected.insert(expected.begin(), "delete " + ticket_path(sequence_limit));
    CHECK(f.open() == expected);
}

namespace {

// Ticket `id` wants a path of its own, where this many others stand.
void enqueue_alone(machine_fixture& f, ticket_id id, std::int32_t others) {
    const auto path = "/w" + std::to_string(100 + id);
    const auto name = path + "/turn-5-lock-";
    f.acquire(id, path);
    f.reply("get " + path, replies::folder(5));
    f.reply("enqueue " + name, replies::placed(name + digits(1), 200, others));
    if (others > 0)
        f.reply("watch " + name + digits(0), replies::node(150, other_session));
}

} // namespace

TEST_CASE(
    "an eighth of the budget is kept for locks that are free, however many paths are waited for") {
    auto options = machine_fixture::defaults();
    options.ticket_bytes = 1000;
    machine_fixture f(options);
    f.connect();
    ticket_id id = 0;
    texts told;
    for (; told.empty() && id < 100; told = f.events())
        enqueue_alone(f, ++id, 1);
    REQUIRE(id > 10);
    CHECK(told == texts{"failed " + std::to_string(id) + " session_full"});
    f.reply("delete /w" + std::to_string(100 + id) + "/turn-5-lock-" + digits(1), replies::ok());
    for (const auto more : {id + 1, id + 2}) {
        enqueue_alone(f, more, 0);
        CHECK(f.events() == texts{"granted " + std::to_string(more) + " token 200"});
    }
}
