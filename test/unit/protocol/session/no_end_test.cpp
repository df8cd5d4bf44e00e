// SPDX-License-Identifier: BSL-1.0
// No answer of a server, and no cut of the connection, makes a try endless.
#include "unit/protocol/machine_fixture.hpp"

TEST_CASE("answers that leave the outcome open end what waits, after some in a row") {
    machine_fixture f;
    f.connect();
    f.acquire(1);
    int rounds = 0;
    for (; f.machine.phase() != session_state::idle; ++rounds) {
        REQUIRE(rounds < 5);
        CHECK(f.events().empty());
        if (rounds > 0)
            f.reconnect();
        f.reply(f.open().front(), replies::code(zookeeper_code::session_expired));
        f.cut();
    }
    CHECK(rounds >= 3);
    CHECK(f.events() == texts{"failed 1 unreachable"});
    const auto attempts = f.wire.connects.size();
    f.pass(60s);
    CHECK(f.wire.connects.size() == attempts); // nobody waits
    f.acquire(2);
    CHECK(f.wire.connects.size() == attempts + 1);
}

TEST_CASE("a change whose answers leave the outcome open ends, although it is asked anew") {
    machine_fixture f;
    f.connect();
    const request change{
        .op = operation::transact, .path = "/l", .steps = {{.what = step_kind::set, .path = "/l"}}};
    for (inquiry_id id = 1; id <= 3; ++id) {
        f.inquire(id, change);
        if (id > 1) {
            f.reconnect();
            f.reply("check /l", replies::ok());
        }
        f.reply(f.open().front(), replies::code(zookeeper_code::session_expired));
        CHECK(f.events().empty());
        f.cut();
        const bool last = id == 3;
        CHECK(f.events() ==
              texts{last ? "unanswered 3 unreachable" : "answered " + std::to_string(id)});
    }
}

TEST_CASE("a clear answer in between begins the count anew") {
    scripted_port wire;
    turnstile::protocol::lease unproved;
    watch_table watches;
    request_pipeline requests(wire, unproved, watches);
    requests.set_connected(true);
    const auto answered = [&](zookeeper_code code) {
        requests.send({.op = operation::get, .path = "/l"}, [](const reply&) {});
        return requests.on_reply(wire.open.back().id, replies::code(code));
    };
    for (int i = 0; i < 5; ++i) {
        CHECK_FALSE(answered(zookeeper_code::session_moved));
        CHECK_FALSE(answered(zookeeper_code::session_moved));
        CHECK_FALSE(requests.gets_no_clear_answer());
        CHECK(answered(zookeeper_code::no_node));
    }
    for (int i = 0; i < 3; ++i)
        CHECK_FALSE(answered(zookeeper_code::session_moved));
    CHECK(requests.gets_no_clear_answer());
    CHECK_FALSE(requests.gets_no_clear_answer()); // said once
    requests.abandon();
}

TEST_CASE("a request during which servers cut three connections is refused for a minute") {
    scripted_port wire;
    turnstile::protocol::lease unproved;
    watch_table watches;
    request_pipeline requests(wire, unproved, watches);
    const auto begin = instant{} + 1h;
    requests.set_now(begin);
    requests.set_connected(true);
    std::vector<zookeeper_code> answers;
    const auto sends = [&](const request& what) { // whether it leaves
        const auto before = wire.open.size();
        requests.send(what, [&](const reply& answer) { answers.push_back(answer.code); });
        requests.answer_refused();
        return wire.open.size() > before;
    };
    const request large{.op = operation::enqueue, .path = "/l/a", .data = std::string(3000, 'l')};
    const request small{.op = operation::enqueue, .path = "/l/a", .data = std::string(1000, 'l')};
    const request checks{
        .op = operation::transact,
        .steps = std::vector(100, transaction_step{.what = step_kind::check, .path = "/l/long"})};
    for (int i = 0; i < 5; ++i) { // small ones, and checks, are not to blame
        CHECK(sends(small));
        CHECK(sends(checks));
        CHECK_FALSE(requests.on_cut());
    }
    for (int i = 0; i < 3; ++i) {
        CHECK(sends(large));
        CHECK(requests.on_cut() == (i == 2));
        requests.fail_all();
        requests.set_connected(true);
    }
    CHECK(requests.sizes().least_refused() > 3000);
    answers.clear();
    CHECK(sends(small));
    CHECK_FALSE(sends(large));
    auto alike = large; // the same label in a ticket whose name has a digit less
    alike.data.pop_back();
    CHECK_FALSE(sends(alike));
    CHECK(answers == std::vector(2, zookeeper_code::too_large));
    requests.set_now(begin + 1min);
    CHECK(sends(large));
    requests.abandon();
}
