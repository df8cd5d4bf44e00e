// SPDX-License-Identifier: BSL-1.0
// Requests that belong to no ticket.
#include "unit/protocol/machine_fixture.hpp"

namespace {

struct inquirer : machine_fixture {
    using machine_fixture::machine_fixture;

    void ask(inquiry_id id, operation op, const std::string& path, bool watch = false) {
        inquire(id, {.op = op, .path = path, .watch = watch});
    }
    void event(watch_event what, const std::string& node) { machine.on_watch(now, what, node); }
};

} // namespace

TEST_CASE("what a busy server sent back is asked again") {
    inquirer f;
    f.connect();
    f.ask(7, operation::remove, "/l/x");
    f.reply("delete /l/x", {.code = zookeeper_code::throttled});
    CHECK(f.events().empty());
    CHECK(f.open().empty());
    f.live(2s);
    f.reply("delete /l/x", replies::ok());
    CHECK(f.events() == texts{"answered 7"});
}

TEST_CASE("an inquiry that watches is told each time that something may have changed") {
    inquirer f;
    f.connect();
    f.ask(7, operation::get_children, "/l", true);
    f.reply("list /l", replies::listing({"a"}));
    CHECK(f.events() == texts{"answered 7"});
    SECTION("an event of the children") {
        f.event(watch_event::changed, "/l"); // of its data, which it does not watch
        CHECK(f.open().empty());
        f.event(watch_event::children, "/l");
    }
    SECTION("the end of the node") { f.event(watch_event::deleted, "/l"); }
    SECTION("a reconnect") {
        f.cut();
        f.reconnect();
        f.reply("check /l", replies::ok()); // a lagging server would show what was before
    }
    f.reply("list /l", replies::listing({"a", "b"}));
    CHECK(f.events() == texts{"answered 7"});
    f.cancel(7);
    CHECK(f.events() == texts{"unanswered 7 cancelled"});
    f.event(watch_event::children, "/l");
    CHECK(f.open().empty());
}

TEST_CASE("an inquiry may wait for a node that is missing") {
    inquirer f;
    f.connect();
    f.ask(7, operation::exists, "/l/x", true);
    f.reply("exists /l/x", replies::no_node());
    CHECK(f.events() == texts{"answered 7"});
    f.event(watch_event::created, "/l/x");
    f.reply("watch /l/x", replies::node(8, 0, "here"));
    CHECK(f.events() == texts{"answered 7"});
    CHECK(f.told.answers.back().data == "here");
    f.event(watch_event::deleted, "/l/x");
    f.reply("exists /l/x", replies::no_node());
    CHECK(f.events() == texts{"answered 7"});
    f.event(watch_event::created, "/l/x");
    f.reply("watch /l/x", replies::no_node()); // which leaves no watch on what has gone again
    CHECK(f.events().empty());
    f.reply("exists /l/x", replies::no_node());
    CHECK(f.events() == texts{"answered 7"});
    // A get leaves no watch on a missing node: that inquiry is over.
    f.ask(8, operation::get, "/l/y", true);
    f.reply("watch /l/y", replies::no_node());
    CHECK(f.events() == texts{"answered 8"});
    f.cut();
    f.reconnect();
    f.reply("check /l/x", replies::ok());
    CHECK(f.open() == texts{"exists /l/x"});
}

TEST_CASE("the event of a node that was read ends its watch") {
    inquirer f;
    f.connect();
    f.ask(7, operation::get, "/l/x", true);
    f.reply("watch /l/x", replies::node(8, 0, "here"));
    CHECK(f.events() == texts{"answered 7"});
    f.event(GENERATE(watch_event::changed, watch_event::deleted), "/l/x");
    CHECK(f.events() == texts{"answered 7"});
    CHECK(f.told.answers.back().code == zookeeper_code::no_node);
    CHECK(f.open().empty());
    f.live(32s); // it is over
    CHECK(f.open().empty());
}

TEST_CASE("an inquiry that was answered does not wait, though no write is answered") {
    inquirer f;
    f.ask(7, operation::get, "/l", true);
    f.pass(10s);
    f.ask(8, operation::get, "/m");
    f.ask(9, operation::get, "/n");
    f.pass(19s);
    f.cut();
    f.pass(500ms);
    f.accept();
    f.reply("exists /", replies::ok());
    f.reply("watch /l", replies::folder(5));
    CHECK(f.events() == texts{"answered 7"});
    f.live(4s);
    CHECK(f.events().empty());
    f.cut(); // from here on it waits again
    f.pass(10s);
    CHECK(f.events() == texts{"unanswered 8 unreachable", "unanswered 9 unreachable"});
    f.pass(20s - 1ns);
    CHECK(f.events().empty());
    f.pass(1ns);
    CHECK(f.events() == texts{"unanswered 7 unreachable"});
}

TEST_CASE("what is watched is read again, and an event meanwhile adds nothing") {
    inquirer f;
    f.connect();
    f.ask(7, operation::exists, "/l/x", true);
    f.reply("exists /l/x", replies::no_node());
    f.events();
    while (f.open().empty() && f.now < instant{1016s})
        f.live(10ms);
    REQUIRE(f.open() == texts{"exists /l/x", "exists /"}); // with a beat
    f.event(watch_event::created, "/l/x"); // after all: the answer that is open shows it
    CHECK(f.open().size() == 2);
    f.reply("exists /l/x", replies::ok());
    f.reply("exists /", replies::ok());
    f.reply("watch /l/x", replies::node(8, 0, "here"));
    CHECK(f.events() == texts{"answered 7"});
    f.cancel(7);
    CHECK(f.events() == texts{"unanswered 7 cancelled"});
    f.live(32s);
    CHECK(f.open().empty());
}

TEST_CASE("a watched node that goes and comes between two questions is found") {
    inquirer f;
    f.connect();
    f.ask(7, operation::exists, "/l/x", true);
    f.reply("exists /l/x", replies::ok());
    f.reply("watch /l/x", replies::no_node());
    f.reply("exists /l/x", replies::ok());
    f.reply("watch /l/x", replies::node(9, 0, "again"));
    CHECK(f.events() == texts{"answered 7"});
}

TEST_CASE("a watch that is asked anew waits for a server from then on") {
    inquirer f;
    f.ask(7, operation::get_children, "/l", true);
    f.pass(25s);
    f.accept();
    f.reply("exists /", replies::ok()); // no write is answered
    f.reply("list /l", replies::listing({}));
    CHECK(f.events() == texts{"answered 7"});
    f.live(4500ms);
    f.event(watch_event::children, "/l");
    f.pass(1s); // 30 s and more after its first question
    CHECK(f.events().empty());
}

TEST_CASE("watches that nobody waits for are taken off, but for a few") {
    auto options = machine_fixture::defaults();
    options.unwanted_watches = 1;
    inquirer f(options);
    f.connect();
    for (const inquiry_id id : {1U, 2U, 3U})
        f.ask(id, operation::exists, "/l/" + std::to_string(id), true);
    for (const inquiry_id id : {1U, 2U})
        f.reply("exists /l/" + std::to_string(id), replies::no_node());
    f.cancel(1);
    CHECK(f.open() == texts{"exists /l/3"});
    f.cancel(3); // before its answer, which leaves a watch as well
    CHECK(f.open() == texts{"exists /l/3"});
    SECTION("they are asked for again meanwhile") {
        f.ask(4, operation::exists, "/l/1", true);
        f.reply("exists /l/3", replies::no_node());
        CHECK(f.open() == texts{"exists /l/1", "unwatch /l/3"});
    }
    SECTION("a busy server sends that back") {
        f.reply("exists /l/3", replies::no_node());
        const auto sent = f.open();
        REQUIRE(sent.size() == 2);
        for (const auto& each : sent)
            f.reply(each, {.code = zookeeper_code::throttled});
        CHECK(f.open().empty());
        f.live(2s);
        CHECK(f.open().size() == 2);
    }
    SECTION("the connection ends") {
        f.cut();
        f.reconnect();
        CHECK(f.open() == texts{"check /l/2", "exists /l/2"});
    }
}

TEST_CASE("a server that ends the connection for it is not asked to take watches off again") {
    auto options = machine_fixture::defaults();
    options.unwanted_watches = 0;
    inquirer f(options);
    f.connect();
    f.ask(9, operation::exists, "/m", true);
    f.reply("exists /m", replies::no_node());
    const auto leave_watch = [&] {
        f.ask(1, operation::exists, "/l", true);
        f.reply("exists /l", replies::no_node());
        f.cancel(1);
    };
    const auto lose_connection = [&] {
        f.cut();
        f.reconnect();
        f.reply("check /m", replies::ok());
        f.reply("exists /m", replies::no_node());
    };
    const int answered = GENERATE(0, 1, 2, 3); // 3: none of them is
    for (int cut = 0; cut < 3; ++cut) {
        leave_watch();
        CHECK(f.open() == texts{"unwatch /l"});
        if (cut == answered)
            f.reply("unwatch /l", replies::ok());
        lose_connection();
    }
    leave_watch();
    CHECK(f.open() == (answered < 3 ? texts{"unwatch /l"} : texts()));
}
