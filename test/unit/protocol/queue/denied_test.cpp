// SPDX-License-Identifier: BSL-1.0
// Tickets that the server does not let their session delete: they are tried again with the beats.
#include "unit/protocol/machine_fixture.hpp"

#include <algorithm>

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

// The ticket 0 of acquire 1 was held, and its release denied.
void deny_release(machine_fixture& f) {
    f.hold();
    f.release(1);
    f.reply("release " + ticket_path(0), replies::no_auth());
    f.reply("delete " + ticket_path(0), replies::no_auth());
    CHECK(f.events() == texts{"released 1 release_denied"});
    CHECK(f.open().empty());
}

// It is looked at first: whether it stands there, and is ours.
void look_again(machine_fixture& f) {
    f.reply("get " + ticket_path(0), replies::node(100, our_session));
    f.reply("check /l", replies::ok());
    CHECK(f.open() == texts{"delete " + ticket_path(0)});
}

} // namespace

TEST_CASE(
    "behind an own ticket that may not be deleted an acquire waits, until the right is back") {
    machine_fixture f;
    deny_release(f);
    f.acquire(2);
    f.enqueued(1, 1);
    f.reply("watch " + ticket_path(0), replies::node(100, our_session));
    for (int denied = 0; denied < 2; ++denied) { // each beat tries once more
        f.pass(2s);
        f.reply("get " + ticket_path(0), replies::node(100, our_session));
        f.reply(machine_fixture::waiting_beat(1, 0), replies::ok());
        f.reply("delete " + ticket_path(0), denied == 0 ? replies::no_auth() : replies::ok());
        CHECK(f.events().empty());
    }
    CHECK(std::ranges::count_if(f.told.notes, [](const std::string& note) {
              return note.starts_with("DELETE is denied");
          }) == 1);
    f.deleted(ticket_path(0));
    f.reply("watch " + downgraded_path(0), replies::no_node());
    f.reply("list /l", replies::listing({"turn-5-lock-0000000001"}));
    CHECK(f.events() == texts{"granted 2 token 101"});
}

TEST_CASE("of many tickets that may not be deleted one is tried, and all once it is gone") {
    machine_fixture f;
    deny_release(f);
    constexpr std::int32_t more = 3;
    for (std::int32_t each = 1; each <= more; ++each) {
        f.try_acquire(static_cast<ticket_id>(1 + each));
        f.enqueued(each, each);
        f.reply("get " + ticket_path(each - 1), replies::node(99 + each, our_session));
        f.reply("delete " + ticket_path(each), replies::no_auth());
        CHECK(f.events() == texts{"failed " + std::to_string(1 + each) + " would_block"});
    }
    f.pass(2s);
    look_again(f);
    f.reply("delete " + ticket_path(0), replies::ok());
    for (std::int32_t each = 1; each <= more; ++each)
        f.reply("get " + ticket_path(each), replies::node(100 + each, our_session));
    for (std::int32_t each = 1; each <= more; ++each)
        f.reply("delete " + ticket_path(each), replies::ok());
    CHECK(f.open().empty());
}

TEST_CASE("what had to stay goes with the session, and the next one starts afresh") {
    machine_fixture f;
    deny_release(f);
    f.acquire(2);
    f.cut(disconnect_reason::expired);
    f.pass(3s);
    f.accept(other_session);
    CHECK(f.events().empty());
    CHECK(f.open().back() == "enqueue /l/turn-5-lock-");
}
