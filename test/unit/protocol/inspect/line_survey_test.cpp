// SPDX-License-Identifier: BSL-1.0
// The tickets in line, as one listing and the data of the first show them.
#include "protocol/inspect/line_survey.hpp"
#include "support/names.hpp"
#include "support/replies.hpp"
#include "unit/protocol/machine_fixture.hpp"

using turnstile::participant;

namespace {

struct surveyor {
    explicit surveyor(std::size_t most = 50) : survey("/l", most) {}

    texts ask() {
        open = survey.next();
        texts result;
        for (const auto& each : open)
            result.push_back(text_of(each.what));
        return result;
    }
    void answer(std::size_t which, const reply& with) {
        survey.on_answer_to(open.at(which).number, with);
    }
    void list(std::vector<std::string> children) {
        CHECK(ask() == texts{"list /l"});
        answer(0, replies::listing(std::move(children)));
    }
    // Each that is asked for is there, of one session.
    void answer_all() {
        while (!ask().empty())
            for (std::size_t i = 0; i < open.size(); ++i)
                answer(i, replies::node(100 + static_cast<std::int64_t>(i), other_session));
    }
    // "H" holds, "w" waits; "r" a reader; "f" foreign.
    texts line() {
        REQUIRE(survey.over());
        texts result;
        for (const auto& each : survey.take())
            result.push_back(each.node + (each.holds ? " H" : " w") + (each.shared ? "r" : "") +
                             (each.foreign ? "f" : ""));
        return result;
    }

    line_survey survey;
    std::vector<path_question::numbered_request> open;
};

} // namespace

TEST_CASE("the order is that of the numbers, whichever program made the tickets") {
    surveyor s;
    s.list({"turn-5-lock-0000000012", "b__lock__0000000010", "x-103-0000000009", "no ticket",
            "_c_0-lock-0000000011", "turn-5-lock-0000000007", "lock-0000000100"});
    s.answer_all();
    CHECK(s.line() == texts{"turn-5-lock-0000000007 H", "x-103-0000000009 wf",
                            "b__lock__0000000010 wf", "_c_0-lock-0000000011 wf",
                            "turn-5-lock-0000000012 w", "lock-0000000100 wf"});
}

TEST_CASE("readers hold up to the first writer, and a writer holds alone") {
    surveyor s;
    s.list({"turn-5-read-lock-0000000001", "a__rlock__0000000002", "turn-5-lock-0000000003",
            "turn-5-read-lock-0000000004"});
    s.answer_all();
    CHECK(s.line() == texts{"turn-5-read-lock-0000000001 Hr", "a__rlock__0000000002 Hrf",
                            "turn-5-lock-0000000003 w", "turn-5-read-lock-0000000004 wr"});
}

TEST_CASE("the data of the first is asked for in one flight, and of no more than that") {
    surveyor s{2};
    s.list({"turn-5-lock-0000000003", "turn-5-lock-0000000002", "turn-5-lock-0000000001"});
    CHECK(s.ask() == texts{"get " + ticket_path(1), "get " + ticket_path(2)});
    CHECK(s.survey.next().empty());
    s.answer(1, replies::node(102, other_session, "address"));
    CHECK_FALSE(s.survey.over());
    s.answer(0, replies::node(101, our_session, "turnstile=1\nrequest=1-2\nhost=a\npid=7\n"));
    REQUIRE(s.survey.over());
    const auto line = s.survey.take();
    REQUIRE(line.size() == 3);
    CHECK(line[0].host == "a");
    CHECK(line[0].pid == "7");
    CHECK(line[0].session_id == our_session);
    CHECK(line[1].host.empty());
    CHECK(line[1].data == "address");
    CHECK(line[2].known == participant::knowledge::not_asked);
}

TEST_CASE("a long line is asked for in several flights") {
    surveyor s{1000};
    std::vector<std::string> names;
    for (int i = 0; i < 100; ++i)
        names.push_back("turn-5-lock-" + digits(i));
    s.list(names);
    CHECK(s.ask().size() == 64);
    for (std::size_t i = 0; i < 64; ++i)
        s.answer(i, replies::node(1, other_session));
    CHECK_FALSE(s.survey.over());
    CHECK(s.ask().size() == 36);
    for (std::size_t i = 0; i < 36; ++i)
        s.answer(i, replies::node(1, other_session));
    CHECK(s.line().size() == 100);
}

TEST_CASE("a ticket that left since the listing, or may not be read, is listed so") {
    surveyor s;
    s.list({"turn-5-lock-0000000001", "turn-5-lock-0000000002"});
    s.ask();
    s.answer(0, replies::no_node());
    s.answer(1, replies::no_auth());
    CHECK(s.survey.why() == failure::none);
    const auto line = s.survey.take();
    CHECK(line.at(0).known == participant::knowledge::gone);
    CHECK(line.at(0).holds); // when it was listed
    CHECK(line.at(1).known == participant::knowledge::denied);
}

TEST_CASE("a node among the permits that goes with no session holds nothing") {
    surveyor s;
    s.list({"limit", "queue", "leases"});
    s.ask();
    s.answer(0, replies::listing({"turn-7-lock-0000000004"}));
    s.answer(1, replies::listing({"take-7-1-2-lease-0000000009", "take-7-1-2-lease-0000000008"}));
    s.ask();
    s.answer(0, replies::node(101, 0));
    s.answer(1, replies::node(102, other_session));
    s.answer(2, replies::node(103, other_session));
    CHECK(s.line() == texts{"leases/take-7-1-2-lease-0000000009 H",
                            "queue/turn-7-lock-0000000004 w",
                            "leases/take-7-1-2-lease-0000000008 w"});
}

TEST_CASE("of a semaphore the permits are told, and then the tickets") {
    surveyor s{3};
    s.list({"limit", "queue", "leases"});
    REQUIRE(s.ask() == texts{"list /l/queue", "list /l/leases"});
    s.answer(0, replies::listing({"turn-7-lock-0000000004", "turn-7-lock-0000000003"}));
    CHECK_FALSE(s.survey.over());
    s.answer(1, replies::listing({"take-7-1-2-lease-0000000009", "try-7-1-1-lease-0000000008",
                                  "something-else"}));
    CHECK(s.ask() == texts{"get /l/leases/try-7-1-1-lease-0000000008",
                           "get /l/leases/take-7-1-2-lease-0000000009",
                           "get /l/queue/turn-7-lock-0000000003"});
    for (const auto i : {0U, 1U, 2U})
        s.answer(i, replies::node(100, other_session));
    CHECK(s.line() == texts{"leases/try-7-1-1-lease-0000000008 H",
                            "leases/take-7-1-2-lease-0000000009 H",
                            "queue/turn-7-lock-0000000003 w", "queue/turn-7-lock-0000000004 w"});
}

TEST_CASE("a semaphore whose permits may not be listed is no list") {
    surveyor s;
    s.list({"leases", "limit", "queue"});
    s.ask();
    s.answer(0, replies::listing({"turn-7-lock-0000000004"}));
    s.answer(1, replies::no_auth());
    REQUIRE(s.survey.over());
    CHECK(s.survey.why() == failure::read_denied);
}

TEST_CASE("a listing that fails ends the survey") {
    surveyor s;
    s.ask();
    SECTION("no lock path: no ticket stands there") {
        s.answer(0, replies::no_node());
        CHECK(s.survey.why() == failure::none);
    }
    SECTION("denied") {
        s.answer(0, replies::no_auth());
        CHECK(s.survey.why() == failure::read_denied);
    }
    SECTION("anything else") {
        s.answer(0, replies::code(zookeeper_code::marshalling_error));
        CHECK(s.survey.why() == failure::server_error);
        CHECK(s.survey.code() == zookeeper_code::marshalling_error);
    }
    CHECK(s.line().empty());
}
