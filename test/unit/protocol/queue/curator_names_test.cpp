// SPDX-License-Identifier: BSL-1.0
// Locks with the names of Curator's read-write locks: the same line, and those of Curator in it.
#include "unit/protocol/machine_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

const std::string uuid = "_c_f1d8f2b9-3d0e-4b2e-9d15-9bd0f5a6a5a1";

std::string writer_name(std::int32_t sequence) { return "turn-5-__WRIT__" + digits(sequence); }
std::string reader_name(std::int32_t sequence) { return "turn-5-__READ__" + digits(sequence); }
std::string writer_at(std::int32_t sequence) { return "/l/" + writer_name(sequence); }
// Curator's own.
std::string their_writer(std::int32_t sequence) { return uuid + "-__WRIT__" + digits(sequence); }
std::string their_reader(std::int32_t sequence) { return uuid + "-__READ__" + digits(sequence); }

struct beside_curator : machine_fixture {
    using machine_fixture::machine_fixture;

    void ask(ticket_id id, ticket_kind kind) {
        machine.acquire(now, id, {.path = "/l", .kind = kind, .naming = ticket_naming::curator});
    }
    void write(ticket_id id) { ask(id, ticket_kind::exclusive); }
    void read(ticket_id id) { ask(id, ticket_kind::shared); }
    /// Answers the enqueue of a writer; `others` stood there before.
    void made(std::int32_t sequence, std::int32_t others) {
        reply("enqueue /l/turn-5-__WRIT__",
              replies::placed(writer_at(sequence), 100 + sequence, others));
    }

    /// Writer 1 holds, at 0.
    void hold_to_write() {
        connect();
        write(1);
        reply("get /l", replies::folder(5));
        made(0, 0);
        REQUIRE(events() == texts{"granted 1 token 100"});
    }
    /// Writer 1 stands at 5, and nobody by Turnstile's name at 4: a listing is due.
    void need_listing() {
        connect();
        write(1);
        reply("get /l", replies::folder(5));
        made(5, 1);
        reply("watch " + writer_at(4), replies::no_node());
        REQUIRE(open() == texts{"list /l"});
    }
};

} // namespace

TEST_CASE("a writer waits for Curator's readers and writers before it, by number") {
    beside_curator f;
    f.need_listing();
    f.reply("list /l", replies::listing({their_reader(2), their_writer(3), their_writer(7),
                                         writer_name(5), reader_name(1)}));
    f.reply("watch /l/" + their_writer(3), replies::node(7, other_session));
    f.changed("/l/" + their_writer(3)); // whatever that means, it is no release
    CHECK(f.events().empty());
    f.reply("list /l", replies::listing({their_reader(2), writer_name(5), their_writer(7)}));
    f.reply("watch /l/" + their_reader(2), replies::node(6, other_session));
    f.deleted("/l/" + their_reader(2));
    f.reply("list /l", replies::listing({writer_name(5), their_writer(7)}));
    CHECK(f.events() == texts{"granted 1 token 105"});
}

TEST_CASE("a writer with Curator's names cannot be downgraded") {
    beside_curator f;
    f.hold_to_write();
    f.downgrade(1);
    CHECK(f.events() == texts{"downgraded 1 names_forbid"});
    CHECK(f.open().empty());
}

TEST_CASE("whoever has other names than the others of the path is told") {
    const auto of_lock =
        GENERATE(as<std::string>{}, "turn-5-lock-", "open-5-lock-", "turn-5-read-lock-",
                 "_c_0a-lock-", "0a__lock__", "0a__rlock__", "x-1-", "lock-");
    const auto sequence = GENERATE(4, 6); // also those behind it, who do not see it
    beside_curator f;
    SECTION("a lock with Curator's names, in the line of a mutex") {
        f.need_listing();
        f.reply("list /l", replies::listing({of_lock + digits(sequence), writer_name(5)}));
        CHECK(f.open() == texts{"delete " + writer_at(5)});
    }
    SECTION("a mutex, in Curator's line") {
        const auto name =
            GENERATE(writer_name(4), reader_name(6), their_writer(6), their_reader(4));
        f.begin_acquire();
        f.enqueued(5, 1);
        f.reply("watch " + ticket_path(4), replies::no_node());
        f.reply("list /l", replies::listing({name, "turn-5-lock-0000000005"}));
        CHECK(f.open() == texts{"delete " + ticket_path(5)});
    }
    CHECK(f.events() == texts{"failed 1 wrong_kind"});
}
