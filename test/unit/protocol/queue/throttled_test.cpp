// SPDX-License-Identifier: BSL-1.0
// A server with too much to do sends requests back: they are sent again T/8 later, and nobody's
// acquire ends.
#include "unit/protocol/machine_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

const auto too_busy = replies::code(zookeeper_code::throttled);

/// The request is sent back, and T/8 later this one is open.
void comes_again(machine_fixture& f, const std::string& request, const std::string& next) {
    f.reply(request, too_busy);
    f.live(2s - 1ns);
    CHECK(f.open().empty());
    f.machine.on_time(f.now += 1ns);
    while (!f.open().empty() && f.open().front() != next)
        f.reply(f.open().front(), replies::ok()); // beats
    REQUIRE(f.open() == texts{next});
    CHECK(f.events().empty());
}

} // namespace

TEST_CASE("an acquire outlasts a server with too much to do") {
    machine_fixture f;
    f.connect();
    f.acquire(1);
    const std::string reads_path = "get /l";
    const std::string enters = "enqueue /l/turn-5-lock-";
    const auto gets_first = "watch " + ticket_path(0);
    comes_again(f, reads_path, reads_path);
    f.reply(reads_path, replies::no_node());
    comes_again(f, "container /l", reads_path);
    f.reply(reads_path, replies::folder(5));
    comes_again(f, enters, enters);
    f.enqueued(1, 1);
    comes_again(f, gets_first, gets_first);
    f.reply(gets_first, replies::no_node());
    comes_again(f, "list /l", gets_first);
    f.reply(gets_first, replies::no_node());
    f.reply("list /l", replies::listing({ticket_path(1).substr(3)}));
    CHECK(f.events() == texts{"granted 1 token 101"});
}

TEST_CASE("what was sent back is not asked for twice after a reconnect") {
    machine_fixture f;
    SECTION("the lock path") {
        f.connect();
        f.acquire(1);
        f.reply("get /l", too_busy);
        f.cut();
        f.reconnect();
        f.reply("check /l", replies::ok());
        f.reply("get /l", replies::folder(5));
    }
    SECTION("a ticket") {
        f.begin_acquire();
        f.reply("enqueue /l/turn-5-lock-", too_busy);
        f.cut();
        f.reconnect();
        f.reply("check /l", replies::ok());
    }
    f.enqueued(0, 0);
    CHECK(f.events() == texts{"granted 1 token 100"});
    f.live(4s);
    CHECK(f.open().empty());
}

TEST_CASE("what was sent back is not put off by what is sent back later") {
    machine_fixture f;
    f.begin_acquire();
    f.reply("enqueue /l/turn-5-lock-", too_busy);
    f.live(1500ms);
    f.acquire(2);
    f.reply("enqueue /l/turn-5-lock-", too_busy);
    f.live(500ms);
    CHECK(f.open() == texts{"enqueue /l/turn-5-lock-", "enqueue /l/turn-5-lock-"});
    f.enqueued(1, 1);
    f.enqueued(2, 2);
    f.reply("watch " + ticket_path(0), too_busy);
    f.machine.on_time(f.now += 2s);
    const auto all = f.open();
    CHECK(std::ranges::count(all, "watch " + ticket_path(0)) == 1);
}

TEST_CASE("a path whose parent was sent back is made later") {
    machine_fixture f;
    f.connect();
    f.acquire(1, "/a/l");
    f.reply("get /a/l", replies::no_node());
    f.reply("container /a", too_busy);
    f.reply("container /a/l", replies::no_node());
    CHECK(f.open().empty());
    f.live(2s);
    CHECK(f.open() == texts{"get /a/l"});
}

TEST_CASE("an acquire that is cancelled while it waits to be sent again leaves nothing") {
    machine_fixture f;
    f.begin_acquire();
    f.reply("enqueue /l/turn-5-lock-", too_busy);
    f.cancel(1);
    CHECK(f.events() == texts{"failed 1 cancelled"});
    f.live(4s);
    CHECK(f.open().empty());
}
