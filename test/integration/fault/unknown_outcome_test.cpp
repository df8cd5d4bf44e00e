// SPDX-License-Identifier: BSL-1.0
// Connections that break during several requests, so that their outcome is unknown: enqueues,
// releases, a recovery, the making of a session. (One request alone: the simulation.)
#include "fault_outage.hpp"
#include "support/pch.hpp"

TEST_CASE("several creates in one flight, lost from the middle on, leave a ticket each") {
    for (const auto fault : request_faults)
        for (const bool session_ends : {false, true}) {
            INFO(to_text(fault) << (session_ends ? ", the session ends" : ""));
            outage_rig r;
            const auto path = fresh_path("create");
            crowd users{{&r.s}, path, 9};
            // The fault hits the fifth of nine enqueues.
            const auto rule = r.prepare({.op = op::multi, .path = path, .nth = 5, .action = fault});
            users.line_up();
            r.pass_through(rule, session_ends);
            // The first user may have been granted the lock before the fault. If the session then
            // ends, that lock is lost, and its user does not line up again.
            const auto in_line = [&] { return users.all[0]->loss ? 8U : 9U; };
            r.f.run_until([&] { return tickets_of(path, r.s.id()) == in_line(); });
            CHECK(r.eyes.count(path) == in_line());
            serve_all(r.f, users, 9);
            await_children(r.f, r.eyes, path, 0);
        }
}

TEST_CASE("a release of unknown outcome does not touch the next ticket of the same session") {
    for (const auto fault : request_faults) {
        INFO(to_text(fault));
        outage_rig r;
        const auto path = fresh_path("release");
        crowd users{{&r.s}, path, 3};
        users.line_up();
        r.f.run_until([&] { return users.served() == 1; });
        await_children(r.f, r.eyes, path, 3);
        settle(r.f, r.s);
        const auto rule = r.prepare({.op = op::multi, .path = path + "/", .action = fault});
        users.all[0]->release();
        // The session's next ticket gets the lock at once, without the answer to the release.
        r.f.run_until([&] { return users.all[1]->holds(); });
        r.pass_through(rule);
        await_children(r.f, r.eyes, path, 2);
        CHECK(users.all[1]->lock.is_held());
        users.all[1]->release();
        r.f.run_until([&] { return users.all[2]->holds(); });
        users.all[2]->release();
        r.f.run_until([&] { return users.all_done(); });
        for (const auto& user : users.all)
            CHECK(*user->release_result == error_code{});
        CHECK(users.book.violations() == journal::no_violations);
        await_children(r.f, r.eyes, path, 0);
    }
}

TEST_CASE("a recovery that is cut again and again ends in one ticket") {
    outage_rig r;
    const auto path = fresh_path("reply");
    // This makes the path known, so that the five enqueues leave together. The rule counts all
    // transactions, also a beat, and the third must be an enqueue.
    contender first{r.s, path};
    acquire_now(r.f, first);
    first.release();
    r.f.run_until([&] { return first.release_result.has_value(); });
    crowd users{{&r.s}, path, 5};
    std::vector<rule_id> cuts{
        r.proxy.add_rule({.op = op::multi, .path = path, .nth = 3, .action = action::cut_after})};
    // Each of these is cut once: the recovery's listing, its reply, a read of a child, its reply.
    for (const auto what : {op::get_children2, op::get_data})
        for (const auto where : {direction::to_server, direction::to_client})
            cuts.push_back(r.proxy.add_rule({.direction = where,
                                             .op = what,
                                             .path = what == op::get_data ? path + '/' : path,
                                             .action = action::cut_before}));
    users.line_up();
    r.f.run_until([&] {
        return std::ranges::all_of(cuts, [&](const auto cut) { return r.proxy.hits(cut) == 1; });
    });
    await_children(r.f, r.eyes, path, 5);
    serve_all(r.f, users, 5);
    await_children(r.f, r.eyes, path, 0);
}

TEST_CASE("a session whose making is cut in any place is made in the end") {
    for (const auto where : {direction::to_server, direction::to_client})
        for (const auto fault :
             {action::cut_before, action::cut_within, action::cut_after, action::black_hole}) {
            frame_proxy proxy{shared_server().port()};
            const auto rule =
                proxy.add_rule({.direction = where, .op = op::connect, .action = fault});
            fixture f;
            auto options = impatient(proxy.address());
            options.timeout = std::chrono::milliseconds{800};
            session s{f.context, options};
            connect(f, s);
            f.run_until([&] { return proxy.hits(rule) == 1; });
            contender user{s, fresh_path("reply")};
            acquire_now(f, user);
            CHECK(user.lock.is_held());
        }
}

TEST_CASE("frames in single bytes are understood") {
    frame_proxy proxy{shared_server().port()};
    for (const auto where : {direction::to_server, direction::to_client})
        (void)proxy.add_rule({.direction = where, .times = 0, .action = action::split, .parts = 0});
    fixture f;
    session s{f.context, impatient(proxy.address())};
    session t{f.context, impatient(proxy.address())};
    crowd users{{&s, &t}, fresh_path("reply"), 6};
    users.line_up();
    serve_all(f, users, 6);
}
