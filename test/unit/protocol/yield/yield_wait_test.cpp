// SPDX-License-Identifier: BSL-1.0
// A holder that waits to be asked, while the ticket by which it holds the lock changes.
#include "unit/protocol/queue/upgrade_fixture.hpp"

#include "protocol/yield/yield_wait.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;
using namespace turnstile::test::upgrading;

namespace {

const std::string yield_node = "/l%yield";

// Lock 1 waits from now on.
void wait_for_request(machine_fixture& f) {
    f.ask_all(7, f.machine.wait_for_request("/l", 1, 100));
    f.reply("exists " + yield_node, replies::no_node());
}

// A request comes, and names this ticket.
void ask_for(machine_fixture& f, const std::string& meant) {
    f.machine.on_watch(f.now, watch_event::changed, yield_node);
    const auto data = ticket_data({.host = "h"}).str("1-2", "deploy", meant.substr(3) + " 100");
    f.reply("watch " + yield_node, replies::node(200, other_session, data));
}

} // namespace

TEST_CASE("a holder is asked by the ticket that it has now") {
    machine_fixture f;
    std::string before;
    std::string after;
    SECTION("which is a reader's since a downgrade") {
        before = ticket_path(0);
        after = downgraded_path(0);
        f.hold();
        wait_for_request(f);
        f.downgrade(1);
        f.reply("downgrade " + before, replies::ok());
        CHECK(f.events() == texts{"downgraded 1 none"});
        f.reply("list " + after, replies::node(120, our_session)); // the own watch
    }
    SECTION("which is a writer's since an upgrade") {
        before = reader_path(0);
        after = ticket_path(1);
        read(f);
        wait_for_request(f);
        begin_upgrade(f);
        end_upgrade(f);
        f.reply("delete " + before, replies::ok()); // the reader's node
    }
    f.machine.on_watch(f.now, watch_event::created, yield_node);
    f.reply("watch " + yield_node, replies::node(200, other_session));
    CHECK(f.events().empty());
    ask_for(f, before);
    CHECK(f.events().empty());
    ask_for(f, after);
    CHECK(f.events() == texts{"answered 7"});
}
