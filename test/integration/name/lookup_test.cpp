// SPDX-License-Identifier: BSL-1.0
// A look-up lives apart from the attempts to connect: it is asked once, its answer serves whichever
// attempt comes next, and nobody waits for it in vain.
#include "integration/support/fault_rig.hpp"
#include "integration/support/name_service.hpp"

#include "support/frame_proxy.hpp"
#include "support/pch.hpp"

#include <netdb.h>

namespace {

/// A name whose look-ups hang for the time of a test.
class hung_name {
public:
    explicit hung_name(std::string name) : text(std::move(name)) { names.hold(text, true); }
    ~hung_name() { names.hold(text, false); }
    hung_name(const hung_name&) = delete;
    hung_name& operator=(const hung_name&) = delete;

    const std::string text;

private:
    name_service& names = name_service::of_process();
};

std::string at_port(const std::string& name, std::uint16_t port) {
    return name + ':' + std::to_string(port);
}

} // namespace

TEST_CASE("all addresses of all names are tried in one round") {
    auto& names = name_service::of_process();
    frame_proxy live{shared_server().port(), {.ip = "127.0.0.3"}};
    frame_proxy dead{shared_server().port()}; // nobody listens at the other addresses of its port
    dead.set_outage(true, refusal::not_listening);
    names.set("one.turnstile.test", name_service::answer{0, {"127.0.0.2", "127.0.0.1"}});
    names.set("two.turnstile.test",
              name_service::answer{0, {"127.0.0.2", "127.0.0.4", "127.0.0.3"}});
    fixture f;
    for (int i = 0; i < 8; ++i) { // each begins with one of the names, by chance
        auto options = impatient(at_port("one.turnstile.test", dead.port()) + ',' +
                                 at_port("two.turnstile.test", live.port()));
        options.shortest_backoff = options.longest_backoff = 1h; // no second round
        session s{f.context, options};
        connect(f, s);
    }
}

TEST_CASE("the answer to a look-up that outlasts attempts is used") {
    auto& names = name_service::of_process();
    hung_name slow{"slow.turnstile.test"};
    names.set(slow.text, "127.0.0.1");
    static_cast<void>(names.take());
    fixture f;
    session s{f.context, impatient(at_port(slow.text, shared_server().port()))};
    contender user{s, fresh_path("lookup")};
    user.acquire();
    f.run_until([&] { return s.usage().failed_attempts >= 3; });
    CHECK(std::ranges::count(names.take(), slow.text, &name_service::lookup::name) == 1);
    names.let_through(slow.text); // and no later one
    f.run_until([&] { return user.holds(); });
}

TEST_CASE("a lock is kept over a reconnect while the name is looked up") {
    auto& names = name_service::of_process();
    const std::string name = "kept.turnstile.test";
    names.set(name, "127.0.0.1");
    frame_proxy proxy{shared_server().port()};
    fixture f;
    session s{f.context, impatient(at_port(name, proxy.port()))};
    contender user{s, fresh_path("lookup")};
    acquire_now(f, user);
    const hung_name hung{name};
    proxy.cut_all();
    f.run_until([&] { return s.usage().connections == 2; });
    const auto deadline = user.lock.deadline();
    f.run_until([&] { return user.lock.deadline() > deadline; });
    CHECK(user.lock.is_held());
    CHECK(names.is_asked(name));
}

TEST_CASE("a name that hangs keeps nobody from the other servers") {
    auto& names = name_service::of_process();
    const hung_name hung{"hung.turnstile.test"};
    names.set("quick.turnstile.test", "127.0.0.1");
    fixture f;
    for (int i = 0; i < 4; ++i) { // each begins with one of the names, by chance
        session s{f.context, impatient(at_port(hung.text, shared_server().port()) + ',' +
                                           at_port("quick.turnstile.test", shared_server().port()),
                                       60s)}; // the limit of an attempt is all of connect_timeout
        connect(f, s);
    }
}

TEST_CASE("the end of a context does not wait for a look-up") {
    auto& names = name_service::of_process();
    const hung_name hung{"endless.turnstile.test"};
    auto f = std::make_unique<fixture>();
    auto s = std::make_unique<session>(f->context,
                                       impatient(at_port(hung.text, shared_server().port())));
    turnstile::mutex where{*s, fresh_path("lookup")}; // no timer of the test's outlives the context
    where.acquire([](const error_code&, const held_lock&) {});
    f->run_until([&] { return names.is_asked(hung.text); });
    SECTION("after its session") {
        s.reset();
        f->run_out();
    }
    SECTION("before its session") {}
    f.reset();
    CHECK(names.is_asked(hung.text));
}

TEST_CASE("a name that cannot be looked up says why") {
    auto& names = name_service::of_process();
    const std::string name = "failing.turnstile.test";
    names.set(name, name_service::answer{EAI_AGAIN, {}});
    fixture f;
    auto options = impatient(at_port(name, 1));
    options.connect_timeout = 500ms;
    session s{f.context, options};
    diagnostics told;
    error_code code;
    s.connect(with_diagnostics(told, [&](error_code why) { code = why; }));
    f.run_until([&] { return code.failed(); });
    CHECK(code == error::connect_timeout);
    CHECK(told.cause == std::string("its name cannot be looked up: ") + ::gai_strerror(EAI_AGAIN));
}

namespace {

std::size_t count_of(const std::vector<name_service::lookup>& all, const std::string& name) {
    return static_cast<std::size_t>(std::ranges::count(all, name, &name_service::lookup::name));
}

bool only_numeric_here(const std::vector<name_service::lookup>& all) {
    return std::ranges::all_of(all, [](const name_service::lookup& one) {
        return one.numeric || one.where != std::this_thread::get_id();
    });
}

} // namespace

TEST_CASE("a name that has another address after a cut is followed") {
    auto& names = name_service::of_process();
    const std::string name = "locks.turnstile.test";
    frame_proxy old_place{shared_server().port()};
    frame_proxy new_place{shared_server().port(), {.ip = "127.0.0.2", .port = old_place.port()}};
    names.set(name, "127.0.0.1");
    static_cast<void>(names.take());
    fixture f;
    session s{f.context, impatient(name + ':' + std::to_string(old_place.port()))};
    contender user{s, fresh_path("names")};
    acquire_now(f, user);
    const auto id = s.id();
    CHECK(old_place.stats().connections == 1);
    const auto first = names.take();
    CHECK(count_of(first, name) == 1);
    CHECK(only_numeric_here(first));

    names.set(name, "127.0.0.2"); // the pod has moved
    old_place.set_outage(true);
    old_place.cut_all();
    f.run_until(
        [&] { return new_place.stats().connections > 0 && s.state() == session_state::connected; });
    const auto deadline = user.lock.deadline();
    f.run_until([&] { return user.lock.deadline() > deadline; });
    CHECK(s.id() == id);
    CHECK(user.lock.is_held());
    const auto second = names.take();
    CHECK(count_of(second, name) >= 1);
    CHECK(only_numeric_here(second));
}

TEST_CASE("nothing is looked up while locks are taken and released") {
    auto& names = name_service::of_process();
    const std::string name = "busy.turnstile.test";
    names.set(name, "127.0.0.1");
    fixture f;
    session s{f.context, impatient(name + ':' + std::to_string(shared_server().port()))};
    connect(f, s);
    contender user{s, fresh_path("names")};
    user.release_when_granted = true;
    static_cast<void>(names.take());
    for (int i = 0; i < 100; ++i) {
        user.acquire();
        f.run_until([&] { return user.started == user.completed; });
    }
    CHECK(user.grants == 100);
    CHECK(names.take().empty());
}
