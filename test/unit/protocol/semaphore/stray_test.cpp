// SPDX-License-Identifier: BSL-1.0
// Nodes among permits and tickets that go with no session: a foreign client made them.
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

struct beside_strays : user_of_permits {
    /// A try of attempt 1 was refused, and the acquire lines up with ticket 4.
    void lines_up(std::int32_t line, std::int32_t permits, std::int32_t others) {
        tried(1, line, permits, 3);
        reply("delete " + in_permits(permit_text(true, 1, 3)), replies::ok());
        reply(enqueues, replies::placed(place(4), 250, others, semaphore_incarnation));
        told_limit(3, 0, true);
    }
    void asked(std::int32_t sequence, std::int64_t owner) {
        reply("exists " + in_permits(others_permit(false, sequence)), replies::node(90, owner));
    }
};

} // namespace

TEST_CASE("a permit that goes with no session is none") {
    beside_strays f;
    const bool patient = GENERATE(true, false);
    f.connect();
    f.take(1, 1, patient);
    f.told_limit(3);
    f.lines_up(0, 3, 0);
    f.told_permits(f.three, 4);
    f.asked(0, other_session);
    f.asked(1, 0);
    f.asked(2, other_session);
    f.told_permits(f.three, 4);
    f.taken(2, 4, 4);
    CHECK(f.events() == texts{"granted 1 token 300"});
    CHECK(f.open().empty());
}

TEST_CASE("where all permits go with sessions, a try is told so, and the others wait") {
    beside_strays f;
    const bool patient = GENERATE(true, false);
    f.connect();
    f.take(1, 1, patient);
    f.told_limit(3);
    f.lines_up(0, 3, 0);
    f.told_permits(f.three, 4);
    for (int i = 0; i < 3; ++i)
        f.asked(i, other_session);
    f.told_permits(f.three, 4);
    if (patient) {
        CHECK(f.events().empty());
        CHECK(f.open().empty());
    } else {
        CHECK(f.events() == texts{"failed 1 would_block"});
        f.reply("delete " + place(4), replies::ok());
        f.take(2, 1, false); // so soon after it they are not looked for again
        f.tried(2, 0, 3, 5);
        CHECK(f.events() == texts{"failed 2 would_block"});
        CHECK(f.open() == texts{"delete " + in_permits(permit_text(true, 2, 5))});
    }
}

TEST_CASE("a try passes tickets that go with no session, and no others") {
    beside_strays f;
    const bool stray = GENERATE(true, false);
    f.connect();
    f.take(1, 1, false);
    f.told_limit(3);
    f.lines_up(1, 0, 1);
    f.reply("get " + place(3), replies::node(90, stray ? 0 : other_session));
    if (stray) {
        f.reply("list /s/queue",
                replies::listing({"turn-7-lock-0000000003", "turn-7-lock-0000000004"}, 7));
        f.told_permits({}, 4);
        f.taken(2, 4, 4);
        CHECK(f.events() == texts{"granted 1 token 300"});
    } else {
        CHECK(f.events() == texts{"failed 1 would_block"});
        CHECK(f.open() == texts{"delete " + place(4)});
    }
}
