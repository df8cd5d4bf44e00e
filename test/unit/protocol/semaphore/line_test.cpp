// SPDX-License-Identifier: BSL-1.0
// In the line of a semaphore: the first waits for permits, and counts them.
#include "unit/protocol/semaphore/change_fixture.hpp"
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

TEST_CASE("the first in line waits until enough permits are free, and takes them with its ticket") {
    user_of_permits f;
    f.is_first();
    SECTION("they are") {
        f.listed({others_permit(false, 0)}, 4);
        f.taken(2, 4, 4, 2);
        CHECK(f.events() == texts{"granted 1 token 300"});
        CHECK(f.open().empty());
    }
    SECTION("permits tried before its first look count, later ones do not") {
        f.listed({others_permit(false, 0), others_permit(true, 3)}, 4);
        CHECK(f.open().empty());
        f.permits_change();
        f.listed({others_permit(false, 0), others_permit(true, 4)}, 5);
        f.taken(2, 4, 5, 2);
        CHECK(f.events() == texts{"granted 1 token 300"});
    }
    SECTION("what another program made among the permits does not count") {
        f.listed({others_permit(false, 0), "orders"}, 4);
        CHECK(f.open() == texts{f.take_text(2, 4, 2)});
    }
    SECTION("a raised limit lets it in") {
        f.listed({others_permit(false, 0), others_permit(false, 1)}, 4);
        f.changed("/s/limit");
        f.told_limit(4, 1, true);
        f.listed({others_permit(false, 0), others_permit(false, 1)}, 4);
        f.taken(2, 4, 4, 2, 1);
        CHECK(f.events() == texts{"granted 1 token 300"});
    }
    SECTION("a limit below its wish ends it") {
        f.listed({others_permit(false, 0), others_permit(false, 1)}, 4);
        f.changed("/s/limit");
        f.told_limit(1, 1, true);
        f.told_limit_for_sure(1, 1, true);
        CHECK(f.events() == texts{"failed 1 too_many"});
        CHECK(f.open() == texts{"list /s/leases", "delete " + place(4)});
    }
    SECTION("another limit in the meantime: it is read again, and the permits, too") {
        f.listed({}, 4);
        f.reply(f.take_text(2, 4, 2), {.code = zookeeper_code::bad_version,
                                       .results = {{.code = zookeeper_code::bad_version}}});
        f.told_limit(2, 1, true);
        CHECK(f.open() == texts{"list /s/leases"});
    }
    SECTION("its ticket was deleted: it stands in line anew") {
        f.listed({}, 4);
        f.reply(f.take_text(2, 4, 2), {.code = zookeeper_code::no_node,
                                       .results = {{}, {.code = zookeeper_code::no_node}}});
        CHECK(f.open() == texts{"enqueue /s/queue/turn-7-lock-"});
    }
    SECTION("cancelled") {
        f.cancel(1);
        CHECK(f.events() == texts{"failed 1 cancelled"});
        CHECK(f.open() == texts{"list /s/leases", "delete " + place(4)});
    }
}

TEST_CASE("where tickets may not be written, permits are taken without a write to the ticket") {
    auto options = user_of_permits::defaults();
    const bool guarded = GENERATE(true, false);
    options.protects_tickets = guarded;
    const auto ticket = std::string(guarded ? "/s/queue/turn-7-lock-" : "/s/queue/open-7-lock-");
    user_of_permits f{options};
    f.connect();
    f.take(1);
    f.told_limit(3);
    f.tried(1, 0, 3, 2);
    f.reply("delete " + in_permits(permit_text(true, 1, 2)), replies::ok());
    f.reply("enqueue " + ticket,
            replies::placed(ticket + digits(4), 250, 0, semaphore_incarnation));
    f.told_limit(3, 0, true);
    f.listed({}, 4);
    if (guarded) // the server knows the identity by another digest
        f.reply(f.take_text(2, 4), denied(1, 4));
    const std::uint64_t attempt = guarded ? 3 : 2;
    reply answer;
    answer.results = {{}, {.stat = {.mzxid = 300}}, {}};
    answer.results.push_back({.path = in_permits(permit_text(false, attempt, 4))});
    const auto take = "transact /scheck /s/limit@0; set /s/queue; delete " + ticket + digits(4) +
                      "; sequential " + in_permits(permit_prefix(false, attempt));
    SECTION("and held") {
        f.reply(take, answer);
        CHECK(f.events() == texts{"granted 1 token 300"});
        CHECK(f.open().empty());
    }
    SECTION("the ticket is gone") {
        f.reply(take, {.code = zookeeper_code::no_node,
                       .results = {{}, {}, {.code = zookeeper_code::no_node}}});
        CHECK(f.open() == texts{"enqueue " + ticket});
    }
    SECTION("WRITE on the queue is denied") {
        f.reply(take, denied(1, 4));
        CHECK(f.events() == texts{"failed 1 write_denied"});
    }
}

TEST_CASE(
    "the first in line counts all permits after a cut: an earlier ticket may have come back") {
    user_of_permits f;
    f.is_first(1);
    f.listed({others_permit(false, 0), others_permit(false, 1), others_permit(false, 2)}, 4);
    f.cut();
    f.reconnect();
    while (!f.open().empty() && f.open().front() != "list /s/leases") {
        const auto next = f.open().front();
        f.reply(next, next == "watch /s/limit"
                          ? reply{.stat = {.czxid = semaphore_incarnation}, .data = limit_text(3)}
                      : next == "list /s/queue"
                          ? replies::listing({"turn-7-lock-0000000004"}, semaphore_incarnation)
                      : next.starts_with("watch ") ? replies::no_node()
                                                   : replies::ok());
    }
    // One that tried as the first, and was granted once more.
    f.listed({others_permit(false, 0), others_permit(false, 1), others_permit(true, 5)}, 6);
    CHECK(f.events().empty());
    CHECK(f.open().empty());
}
