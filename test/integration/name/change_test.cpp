// SPDX-License-Identifier: BSL-1.0
// Names of servers are resolved again at each attempt, off the context's thread, and never while
// the connection stands.
#include "integration/support/fault_rig.hpp"
#include "integration/support/name_service.hpp"
#include "support/frame_proxy.hpp"
#include "support/pch.hpp"

using namespace turnstile;
using namespace turnstile::test;
using namespace std::chrono_literals;

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
    user.acquire();
    f.run_until([&] { return user.holds(); });
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
