// Enqueues whose outcome is unknown: the create of a ticket may or may not have happened.
#include "fault_outage.hpp"
#include "support/pch.hpp"

using namespace turnstile;
using namespace turnstile::test;

TEST_CASE("a create of unknown outcome on a free lock ends in one ticket, which holds it") {
    for (const auto fault : request_faults)
        for (const auto after : aftermaths) {
            INFO(to_text(fault) << ", " << to_text(after));
            outage_rig r;
            const auto path = fresh_path("create");
            contender user{r.s, path};
            const auto rule = r.prepare(next_enqueue(path, fault));
            user.acquire();
            r.pass_through(rule, after);
            r.f.run_until([&] { return user.completed == 1; });
            REQUIRE(user.holds());
            CHECK(user.lock.is_held());
            const auto tickets = r.eyes.children(path);
            REQUIRE(tickets.size() == 1);
            const auto node = r.eyes.info(path + "/" + tickets[0]);
            CHECK(node.ephemeral_owner == r.s.id());
            CHECK(fencing_token{static_cast<std::uint64_t>(node.czxid)} == user.token);
            user.release();
            await_children(r.f, r.eyes, path, 0);
        }
}

TEST_CASE("a create of unknown outcome in a line keeps order, tokens and exclusion") {
    for (const auto fault : request_faults)
        for (const auto after : aftermaths) {
            INFO(to_text(fault) << ", " << to_text(after));
            outage_rig r;
            const auto path = fresh_path("create");
            session direct{r.f.context, impatient(shared_server().address())};
            journal book;
            contender first{direct, path, &book};
            contender unlucky{r.s, path, &book};
            contender last{direct, path, &book};
            first.acquire();
            r.f.run_until([&] { return first.holds(); });
            const auto rule = r.prepare(next_enqueue(path, fault));
            unlucky.acquire();
            r.f.run_until([&] { return r.proxy.hits(rule) > 0; });
            last.acquire(); // after the first try of the unlucky one, before any second
            const bool made = fault == action::cut_after;
            await_children(r.f, r.eyes, path, made ? 3 : 2);
            r.pass_through(rule, after);
            await_children(r.f, r.eyes, path, 3);
            CHECK(tickets_of(path, r.s.id()) == 1);
            first.release_when_granted = unlucky.release_when_granted = last.release_when_granted =
                true;
            first.release();
            r.f.run_until([&] { return unlucky.completed == 2 && last.completed == 2; });
            const bool kept = made && after == aftermath::reconnect;
            CHECK(book.in_order(kept ? std::vector<const contender*>{&first, &unlucky, &last}
                                     : std::vector<const contender*>{&first, &last, &unlucky}));
            CHECK(book.violations() == journal::no_violations);
            await_children(r.f, r.eyes, path, 0);
        }
}

TEST_CASE("several creates in one flight, lost from the middle on, leave a ticket each") {
    for (const auto fault : request_faults)
        for (const auto after : aftermaths) {
            INFO(to_text(fault) << ", " << to_text(after));
            outage_rig r;
            const auto path = fresh_path("create");
            crowd users{{&r.s}, path, 9};
            const auto rule = r.prepare({.op = op::multi, .path = path, .nth = 5, .action = fault});
            users.line_up();
            r.pass_through(rule, after);
            // The first may have been granted before the fault: lost with its session then.
            const auto in_line = [&] { return users.all[0]->loss ? 8U : 9U; };
            r.f.run_until([&] { return tickets_of(path, r.s.id()) == in_line(); });
            CHECK(r.eyes.count(path) == in_line());
            users.release_when_granted();
            r.f.run_until([&] { return users.all_done(); });
            CHECK(users.served() == 9);
            CHECK(users.failures() == 0);
            CHECK(users.book.violations() == journal::no_violations);
            await_children(r.f, r.eyes, path, 0);
        }
}

TEST_CASE("a create of unknown outcome, cancelled meanwhile, leaves no ticket") {
    for (const auto fault : request_faults)
        for (const auto after : aftermaths)
            for (const bool late : {false, true}) {
                INFO(to_text(fault) << ", " << to_text(after) << (late ? ", late" : ""));
                outage_rig r;
                const auto path = fresh_path("create");
                contender user{r.s, path};
                const auto rule = r.prepare(next_enqueue(path, fault));
                user.acquire();
                r.f.run_until([&] { return r.proxy.hits(rule) > 0; });
                if (late)
                    r.f.run_until([&] { return r.s.state() == session_state::suspended; });
                user.cancel();
                r.f.run_until([&] { return user.completed == 1; });
                CHECK(user.failure == boost::asio::error::operation_aborted);
                r.pass_through(rule, after);
                contender next{r.s, path};
                next.acquire();
                r.f.run_until([&] { return next.holds(); });
                await_children(r.f, r.eyes, path, 1);
                CHECK(fencing_token{static_cast<std::uint64_t>(
                          r.eyes.info(path + "/" + r.eyes.children(path)[0]).czxid)} == next.token);
            }
}

TEST_CASE("an acquire cancelled while its create is unanswered leaves no ticket after a cut") {
    outage_rig r;
    const auto path = fresh_path("create");
    contender user{r.s, path};
    const auto held = r.proxy.add_rule(next_enqueued(path, action::hold));
    user.acquire();
    r.f.run_until([&] { return r.proxy.hits(held) == 1; });
    CHECK(r.eyes.count(path) == 1);
    user.cancel();
    r.f.run_until([&] { return user.completed == 1; });
    CHECK(user.failure == boost::asio::error::operation_aborted);
    r.proxy.cut_all();
    await_children(r.f, r.eyes, path, 0);
}

TEST_CASE("an acquire cancelled while its create is unanswered leaves no ticket after the answer") {
    outage_rig r;
    const auto path = fresh_path("create");
    contender user{r.s, path};
    const auto held = r.proxy.add_rule(next_enqueued(path, action::hold));
    user.acquire();
    r.f.run_until([&] { return r.proxy.hits(held) == 1; });
    user.cancel();
    r.f.run_until([&] { return user.completed == 1; });
    CHECK(r.eyes.count(path) == 1);
    r.proxy.release_held();
    await_children(r.f, r.eyes, path, 0);
}
