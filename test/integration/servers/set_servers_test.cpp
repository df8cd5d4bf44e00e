// SPDX-License-Identifier: BSL-1.0
// session.set_servers(): a session goes to other servers, and loses nothing by it. The "servers"
// are proxies in front of one server.
#include "integration/support/fault_rig.hpp"
#include "integration/support/log_record.hpp"
#include "integration/support/name_service.hpp"
#include "integration/support/thread_worker.hpp"
#include "support/frame_proxy.hpp"

#include <turnstile.hpp>

#include <netdb.h>

using turnstile::mutex;

namespace {

/// A holder at the first of two servers.
struct rig {
    rig() {
        auto options = impatient(here.address());
        options.log = {.level = log_level::info, .sink = record.sink()};
        s.emplace(f.context, options);
        user.emplace(*s, path);
        acquire_now(f, *user);
        id = s->id();
    }

    /// On a busy machine a connection may be lost and made again meanwhile.
    void await_move_to(const frame_proxy& where, std::uint64_t connections) {
        f.run_until([&] { return s->usage().connections >= connections; });
        CHECK(where.stats().open_connections == 1);
    }
    /// It holds what it held, and the servers prove it.
    void check_that_nothing_is_lost() {
        const auto deadline = user->lock.deadline();
        f.run_until([&] { return user->lock.deadline() > deadline; });
        CHECK(user->lock.is_held());
        CHECK_FALSE(user->loss);
        CHECK(user->lock.fencing_token() == user->token);
        CHECK(s->id() == id);
        CHECK(tickets_of(path, id) == 1);
        CHECK(s->usage().sessions == 1);
    }

    const std::string path = fresh_path("servers");
    frame_proxy here{shared_server().port()};
    frame_proxy there{shared_server().port()};
    log_record record;
    fixture f;
    std::optional<session> s;
    std::optional<contender> user;
    std::int64_t id = 0;
};

std::string port_of(const frame_proxy& where) { return std::to_string(where.port()); }

} // namespace

TEST_CASE("a holder goes to a server of the new list, with its session and its lock") {
    rig r;
    CHECK_FALSE(r.s->set_servers(r.there.address()));
    r.await_move_to(r.there, 2);
    r.f.run_until([&] { return r.here.stats().open_connections == 0; });
    r.check_that_nothing_is_lost();
    CHECK(r.record.mentions("it is not in the new list of servers"));
    r.user->release();
    r.f.run_until([&] { return r.user->release_result.has_value(); });
    CHECK_FALSE(*r.user->release_result);
    CHECK(children_of(r.path).empty());
}

TEST_CASE("a connection to a server that is in the new list stays") {
    rig r;
    SECTION("the same list is nothing") {
        CHECK_FALSE(r.s->set_servers(r.here.address()));
        settle(r.f, *r.s);
        CHECK_FALSE(r.record.mentions("new list"));
    }
    SECTION("a longer one counts from the next loss of a connection on") {
        CHECK_FALSE(r.s->set_servers(r.there.address() + ',' + r.here.address()));
        settle(r.f, *r.s);
        CHECK(r.record.mentions("the new list of servers is in use"));
        CHECK(r.there.stats().connections == 0);
        CHECK(r.s->usage().connections == 1);
        SECTION("and is used then") {
            r.here.set_outage(true);
            r.here.cut_all();
        }
        SECTION("and a list without its server ends it") {
            CHECK_FALSE(r.s->set_servers(r.there.address()));
        }
        r.await_move_to(r.there, 2);
    }
    r.check_that_nothing_is_lost();
}

TEST_CASE("a list that cannot work is refused with words, and changes nothing") {
    rig r;
    diagnostics told{.path = "/left from before"};
    const std::string good = r.there.address();
    CHECK(r.s->set_servers(good + ";" + good, &told) == error::bad_servers);
    CHECK(told.cause == '"' + good + ';' + good +
                            "\" is a bad server list: separate the servers by commas, not by ';'");
    CHECK(told.path.empty());
    CHECK(r.s->set_servers("", &told) == error::bad_servers);
    CHECK(r.s->set_servers(good + "/other", &told) == error::bad_servers);
    CHECK(told.cause.find("its chroot is not that of the session") != std::string::npos);
    CHECK(r.s->set_servers(good + ":1") == error::bad_servers);
    settle(r.f, *r.s);
    CHECK(r.there.stats().connections == 0);
    CHECK_FALSE(r.s->set_servers(good, &told));
    CHECK(told == diagnostics{});
}

TEST_CASE("servers that cannot be reached cost nothing, and are gone to when they can") {
    auto& names = name_service::of_process();
    names.set("typo.turnstile.test", name_service::answer{EAI_NONAME, {}});
    rig r;
    r.there.set_outage(true, refusal::not_listening);
    CHECK_FALSE(r.s->set_servers("typo.turnstile.test:2181," + r.there.address()));
    r.f.run_until([&] { return r.record.mentions("no server of the new list can be reached"); });
    CHECK(r.record.mentions("typo.turnstile.test:2181: its name cannot be looked up: "));
    CHECK(r.record.mentions(r.there.address() + ": Connection refused"));
    CHECK(r.s->usage().connections_lost == 0);
    r.check_that_nothing_is_lost();
    CHECK(r.s->key().servers == r.here.address());
    SECTION("they come") {
        r.there.set_outage(false);
        r.await_move_to(r.there, 2);
        CHECK(r.s->key().servers == "typo.turnstile.test:2181," + r.there.address());
        r.check_that_nothing_is_lost();
        CHECK(std::ranges::count_if(r.record.lines, [](const auto& line) {
                  return line.first == log_level::warning &&
                         line.second.find("can be reached") != std::string::npos;
              }) == 1);
    }
    SECTION("the list before still serves when its connection breaks") {
        r.here.cut_all();
        r.await_move_to(r.here, 2);
        r.check_that_nothing_is_lost();
    }
    SECTION("the list before is set again: nothing is tried any more") {
        CHECK_FALSE(r.s->set_servers(r.here.address()));
        r.there.set_outage(false);
        settle(r.f, *r.s);
        const auto deadline = r.user->lock.deadline();
        r.f.run_until([&] { return r.user->lock.deadline() > deadline + 2s; });
        CHECK(r.there.stats().connections == 0);
    }
    SECTION("a third list takes their place") {
        frame_proxy third{shared_server().port()};
        CHECK_FALSE(r.s->set_servers(third.address()));
        r.await_move_to(third, 2);
        r.check_that_nothing_is_lost();
    }
    SECTION("the session is closed: nothing is left to be done") {
        bool closed = false;
        r.s->close([&](const error_code&) { closed = true; });
        r.f.run_until([&] { return closed; });
        r.f.run_out();
        CHECK(r.s->state() == session_state::closed);
    }
}

TEST_CASE("a name that is looked up for long keeps the session where it is, and costs nothing") {
    auto& names = name_service::of_process();
    const std::string name = "moved.turnstile.test";
    names.set(name, "127.0.0.1");
    names.hold(name, true);
    rig r;
    CHECK_FALSE(r.s->set_servers(name + ':' + port_of(r.there)));
    r.f.run_until([&] { return r.record.mentions("its name is still being looked up"); });
    CHECK(r.s->usage().connections_lost == 0);
    names.let_through(name); // and no later one
    r.await_move_to(r.there, 2);
    names.hold(name, false);
    r.check_that_nothing_is_lost();
}

TEST_CASE("a name of the new list that gets another address is followed") {
    auto& names = name_service::of_process();
    const std::string name = "follows.turnstile.test";
    names.set(name, name_service::answer{0, {"127.0.0.5", "127.0.0.1"}}); // none at the first
    rig r;
    frame_proxy later{shared_server().port(), {.ip = "127.0.0.2", .port = r.there.port()}};
    CHECK_FALSE(r.s->set_servers(name + ':' + port_of(r.there)));
    r.await_move_to(r.there, 2);
    CHECK_FALSE(r.record.mentions("no server of the new list can be reached"));
    CHECK(r.s->usage().failed_attempts == 0);
    names.set(name, "127.0.0.2");
    CHECK_FALSE(r.s->set_servers(name + ':' + port_of(r.there))); // no reason to look
    settle(r.f, *r.s);
    CHECK(later.stats().connections == 0);
    r.there.set_outage(true);
    r.there.cut_all();
    r.await_move_to(later, 3);
    r.check_that_nothing_is_lost();
}

TEST_CASE("a server of the new list that takes connections and answers nothing costs no lock") {
    rig r;
    frame_proxy hung{shared_server().port()};
    hung.set_black_hole(true);
    CHECK_FALSE(r.s->set_servers(hung.address() + ',' + r.there.address()));
    r.await_move_to(r.there, 2);
    r.check_that_nothing_is_lost();
}

TEST_CASE("an acquire that waits keeps its place over a move") {
    rig r;
    session other{r.f.context, impatient(r.here.address())};
    contender waiter{other, r.path};
    waiter.acquire();
    onlooker eyes{shared_server().address()};
    await_children(r.f, eyes, r.path, 2);
    CHECK_FALSE(other.set_servers(r.there.address()));
    r.f.run_until([&] { return other.usage().connections == 2; });
    CHECK(eyes.count(r.path) == 2);
    r.user->release();
    r.f.run_until([&] { return waiter.holds(); });
    CHECK(waiter.token > r.user->token);
}

TEST_CASE("a session without a connection goes to the new servers") {
    frame_proxy dead{shared_server().port()};
    frame_proxy live{shared_server().port()};
    dead.set_outage(true, refusal::not_listening);
    fixture f;
    session s{f.context, impatient(dead.address())};
    SECTION("before it connects") {
        CHECK_FALSE(s.set_servers(live.address()));
        f.run_out(); // no I/O before it is asked for
        f.context.restart();
        CHECK(live.stats().connections == 0);
        connect(f, s);
        CHECK(s.usage().failed_attempts == 0);
    }
    SECTION("while it connects") {
        std::optional<error_code> result;
        s.connect([&](const error_code& code) { result = code; });
        f.run_until([&] { return s.usage().failed_attempts >= 3; });
        CHECK_FALSE(s.set_servers(live.address()));
        f.run_until([&] { return result.has_value(); });
        CHECK_FALSE(*result);
    }
    SECTION("at an attempt that hangs") {
        dead.set_outage(false);
        dead.set_black_hole(true);
        std::optional<error_code> result;
        s.connect([&](const error_code& code) { result = code; });
        f.run_until([&] { return dead.stats().connections == 1; });
        CHECK_FALSE(s.set_servers(live.address()));
        f.run_until([&] { return result.has_value(); });
        CHECK_FALSE(*result);
        CHECK(dead.stats().connections == 1);
    }
    CHECK(live.stats().open_connections == 1);
}

TEST_CASE("a holder whose server is gone is saved by a new list") {
    rig r;
    r.here.set_outage(true);
    r.here.cut_all();
    r.f.run_until([&] { return r.s->usage().failed_attempts >= 2; });
    REQUIRE(r.s->state() == session_state::suspended);
    CHECK_FALSE(r.s->set_servers(r.there.address()));
    r.await_move_to(r.there, 2);
    r.check_that_nothing_is_lost();
}

TEST_CASE("a session that has given up takes a list without a try, and its context may end") {
    frame_proxy here{shared_server().port()};
    frame_proxy there{shared_server().port()};
    fixture f;
    auto options = impatient(here.address());
    options.connect_timeout = 500ms;
    session s{f.context, options};
    here.set_outage(true);
    there.set_outage(true, refusal::not_listening);
    s.connect([](const error_code&) {});
    SECTION("after it has given up") {
        f.run_until([&] { return s.state() == session_state::idle; });
        CHECK_FALSE(s.set_servers(there.address()));
    }
    SECTION("before") { CHECK_FALSE(s.set_servers(there.address())); }
    f.run_out();
    f.context.restart();
    CHECK(s.state() == session_state::idle);
    there.set_outage(false);
    connect(f, s);
    CHECK(there.stats().open_connections == 1);
}

TEST_CASE("a closed session takes no list") {
    fixture f;
    session s{f.context, impatient(shared_server().address())};
    connect(f, s);
    bool closed = false;
    s.close([&](const error_code&) { closed = true; });
    f.run_until([&] { return closed; });
    CHECK(s.set_servers("127.0.0.1:1") == error::session_closed);
    f.run_out();
}

TEST_CASE("the end of a session or of its context ends a move") {
    auto r = std::make_unique<rig>();
    r->there.set_outage(true, refusal::not_listening);
    CHECK_FALSE(r->s->set_servers(r->there.address()));
    SECTION("before it begins") {}
    SECTION("when it has begun") {
        r->f.run_until([&] { return r->record.mentions("can be reached"); });
    }
    r->user.reset();
    r->s.reset();
    r->f.run_out();
    CHECK(r->there.stats().open_connections == 0);
}

TEST_CASE("lists come from other threads while locks are taken and released") {
    frame_proxy here{shared_server().port()};
    frame_proxy there{shared_server().port()};
    const auto path = fresh_path("servers");
    unprotected shared;
    std::atomic<int> left{200};
    std::atomic<int> wrong{0};
    {
        worker runs{2};
        session s{runs.context, impatient(here.address())};
        // However the threads take turns, the session moves there and back while locks are taken.
        const auto goes_on = [&] { return left > 0 || s.usage().connections < 4; };
        std::vector<std::future<void>> done;
        for (int i = 0; i < 2; ++i)
            done.push_back(boost::asio::co_spawn(
                boost::asio::make_strand(runs.context),
                [&]() -> boost::asio::awaitable<void> {
                    mutex lock{s, path};
                    while (goes_on()) {
                        --left;
                        auto held = co_await lock.acquire();
                        shared.enter(held);
                        shared.leave();
                        co_await held.release();
                    }
                },
                boost::asio::use_future));
        // Each waits a while for a move, so that moves are not only begun. The other's list may
        // have taken the place of its own.
        const auto keep_moving = [&](const std::string& list) {
            while (goes_on()) {
                const auto before = s.usage().connections;
                wrong += s.set_servers(list) != error_code();
                wrong += s.set_servers("no list") != error::bad_servers;
                for (int i = 0; i < 1000 && goes_on() && s.usage().connections == before; ++i)
                    std::this_thread::yield();
            }
        };
        std::jthread first([&] { keep_moving(there.address()); });
        std::jthread second([&] { keep_moving(here.address()); });
        get(done);
    }
    CHECK(shared.ok);
    CHECK(shared.entries >= 200);
    CHECK(wrong == 0);
    CHECK(there.stats().connections > 0);
}
