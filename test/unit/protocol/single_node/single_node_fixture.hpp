// SPDX-License-Identifier: BSL-1.0
// A session machine with a lock of one node, on the path /l.
#pragma once

#include "unit/protocol/machine_fixture.hpp"

namespace turnstile::test {

/// `competes`, `waits`, `confirms` and `holds` begin a test; so does `connect` with a `take`.
struct contender_of_one : machine_fixture {
    using machine_fixture::machine_fixture;

    void take(protocol::ticket_id id, bool patient = true,
              std::optional<protocol::duration> limit = {}) {
        machine.acquire(now, id,
                        {.path = "/l", .patient = patient, .limit = limit, .single_node = true});
    }
    /// The create is answered: the transaction, and the lock path's version after its set.
    void made(std::int64_t czxid, std::int32_t version, std::int32_t others = 0) {
        auto answer = replies::placed("/l/holder", czxid, others);
        answer.stat.version = version;
        reply("hold /l/holder", answer);
    }
    /// Path and node are read.
    void examined(std::int32_t version, const protocol::reply& node) {
        reply("exists /l", {.stat = {.czxid = 5,
                                     .mzxid = 1000,
                                     .children = node.code == protocol::zookeeper_code::ok ? 1 : 0,
                                     .version = version}});
        reply("get /l/holder", node);
    }
    /// Ticket 1 has sent its create.
    void competes() {
        connect();
        take(1);
        reply("get /l", replies::folder(5));
        REQUIRE(open() == texts{"hold /l/holder"});
    }
    /// Ticket 1 has made the node, and its lease is still to be proved: the session was idle.
    void confirms() {
        connect();
        live(60s);
        take(1);
        reply("get /l", replies::folder(5));
        made(100, 7);
        REQUIRE(events().empty());
        REQUIRE(open() == texts{"check /l/holder"});
    }
    /// Ticket 1 holds the lock.
    void holds(std::int64_t czxid = 100, std::int32_t version = 7) {
        connect();
        take(1);
        reply("get /l", replies::folder(5));
        made(czxid, version);
        REQUIRE(events() == texts{"granted 1 token " + std::to_string(czxid)});
    }
    /// Ticket 1 waits for another session's node.
    void waits() {
        connect();
        take(1);
        reply("get /l", replies::folder(5));
        reply("hold /l/holder", replies::node_exists());
        reply("watch /l/holder", replies::node(90, other_session));
        REQUIRE(events().empty());
        REQUIRE(open().empty());
    }
    /// A new connection to the same session, with its barrier answered.
    void back() {
        reconnect();
        REQUIRE_FALSE(open().empty());
        const auto barrier = open().front();
        CHECK(barrier.starts_with("check /l"));
        reply(barrier, replies::ok());
    }
    /// The own watch of who holds is set.
    void watches_own() {
        pass(2s);
        reply("check /l/holder", replies::ok());
        reply("watch /l/holder", replies::node(100, our_session));
        REQUIRE(open().empty());
    }
    /// Answers the beats before it, too.
    void reply_behind_beats(const std::string& expected, const protocol::reply& answer) {
        while (!wire.open.empty() && open().front() != expected)
            reply(open().front(), replies::ok());
        reply(expected, answer);
    }
    /// As ticket 1 writes it into its node.
    std::string own_data() {
        return protocol::ticket_data({.host = "h", .process = "1"}).str("0-1");
    }
};

} // namespace turnstile::test
