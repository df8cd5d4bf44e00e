// SPDX-License-Identifier: BSL-1.0
// What the nodes that a session makes carry, as another client reads it from a real server.
#include "integration/support/access_support.hpp"
#include "integration/support/fault_rig.hpp"
#include "integration/support/log_record.hpp"

namespace {

const std::string guard = "turnstile:turnstile"; // well known
const int read_right = 1;

// "/access-N/group/lock": two parents and a lock path that nobody has made yet.
std::string fresh_tree() { return fresh_root() + "/group/lock"; }

std::vector<std::string> directories_of(const std::string& path) {
    const auto second = path.find('/', 1);
    return {path.substr(0, second), path.substr(0, path.rfind('/')), path};
}

} // namespace

TEST_CASE("by default lock directories are open, and a ticket is the guard's and readable by all") {
    fixture f;
    const auto path = fresh_tree();
    session s{f.context, options_as({})};
    mutex lock{s, path};
    auto held = acquire_now(f, lock);
    auto eyes = client_as(guard);
    for (const auto& directory : directories_of(path)) {
        INFO(directory);
        CHECK(rights_of(eyes, directory) == std::vector{anyones(every_right)});
    }
    const auto names = children_as(eyes, path);
    REQUIRE(names.size() == 1);
    CHECK(rights_of(eyes, path + '/' + names[0]) ==
          sorted({right_of(guard, every_right), anyones(read_right)}));
    release_now(f, held);
}

TEST_CASE("creator_all: directories are the first digest identity's, tickets their session's") {
    fixture f;
    const auto path = fresh_tree();
    auto options = options_as({}, acl::creator_all());
    options.identities = {{"ip", ""}, {"digest", alice}, {"digest", bob}};
    session s{f.context, options};
    mutex lock{s, path};
    auto held = acquire_now(f, lock);
    auto eyes = client_as(alice);
    for (const auto& directory : directories_of(path)) {
        INFO(directory);
        CHECK(rights_of(eyes, directory) == std::vector{right_of(alice, every_right)});
    }
    const auto names = children_as(eyes, path);
    REQUIRE(names.size() == 1);
    // To others than the guard the server tells its digest as "x".
    CHECK(rights_of(eyes, path + '/' + names[0]) ==
          sorted({{"digest", "turnstile:x", every_right}, anyones(read_right)}));
    release_now(f, held);
    CHECK(children_as(eyes, path).empty());
}

TEST_CASE("creator_all makes nothing where the servers know the identity by another digest") {
    zookeeper_server other{
        {.system_properties = {"zookeeper.DigestAuthenticationProvider.digestAlg=SHA-256"}}};
    fixture f;
    auto options = options_as(alice, acl::creator_all());
    options.servers = other.address();
    session s{f.context, options};
    mutex one{s, "/group/lock"};
    semaphore several{s, "/group/pool", 2};
    CHECK(result_of(f, [&](auto t) { one.acquire(std::move(t)); }) == error::owner_unknown);
    CHECK(result_of(f, [&](auto t) { several.acquire(std::move(t)); }) == error::owner_unknown);
    CHECK(children_of("/", options.servers) == std::vector<std::string>{"zookeeper"});
    foreign_client hand{options.servers};
    REQUIRE(hand.create("/group") == 0); // by the servers' tools
    REQUIRE(hand.create("/group/lock") == 0);
    auto held = acquire_now(f, one);
    CHECK(held.is_held());
    CHECK(result_of(f, [&](auto t) { several.acquire(std::move(t)); }) == error::owner_unknown);
    CHECK(children_of("/group", options.servers) == std::vector<std::string>{"lock"});
    release_now(f, held);
    REQUIRE(hand.create("/group/pool") == 0);
    CHECK(result_of(f, [&](auto t) { several.acquire(std::move(t)); }) == error::owner_unknown);
    CHECK(result_of(f, [&](auto t) { several.set_limit(3, std::move(t)); }) ==
          error::owner_unknown);
    CHECK(children_of("/group/pool", options.servers).empty());
}

TEST_CASE("a list goes to the directories as it stands, and another to the tickets") {
    fixture f;
    const auto path = fresh_tree();
    auto rules = acl::list({acl_entry::digest(alice, permission::all),
                            {"ip", "127.0.0.0/8", permission::read | permission::create}});
    rules.tickets = {acl_entry::digest(bob, permission::read)};
    session s{f.context, options_as(alice, rules)};
    mutex lock{s, path};
    auto held = acquire_now(f, lock);
    auto eyes = client_as(alice);
    for (const auto& directory : directories_of(path)) {
        INFO(directory);
        CHECK(rights_of(eyes, directory) ==
              sorted({right_of(alice, every_right), {"ip", "127.0.0.0/8", 5}}));
    }
    const auto names = children_as(eyes, path);
    REQUIRE(names.size() == 1);
    std::string data;
    CHECK(eyes.get(path + '/' + names[0], &data) == -102); // READ is bob's
    auto reader = client_as(bob);
    CHECK(reader.get(path + '/' + names[0], &data) == 0);
    CHECK(rights_of(reader, path + '/' + names[0]) ==
          sorted({{"digest", "turnstile:x", every_right}, {"digest", "bob:x", read_right}}));
    release_now(f, held);
}

TEST_CASE("a foreign set of a ticket is refused, and the line goes on") {
    const bool open = GENERATE(true, false);
    INFO((open ? "open" : "creator_all"));
    fixture f;
    const auto path = fresh_tree();
    const auto options = options_as(alice, open ? acl::open() : acl::creator_all());
    session s{f.context, options};
    session t{f.context, options};
    mutex first{s, path};
    mutex second{t, path};
    auto held = acquire_now(f, first);
    probe waiting;
    second.acquire(waiting.make());
    auto group = client_as(alice);
    await_watches(f, shared_server().port(), 1);
    const auto ticket = path + '/' + children_as(group, path).front();
    // With the group's identity; and with the well-known guard, where that is not the tickets'.
    CHECK(group.set(ticket, "released\n") == -102);
    auto knowing = client_as(guard);
    if (!open)
        CHECK(knowing.set(ticket, "released\n") == -102);
    // The waiter was told nothing: whatever it would have been told comes before this.
    mutex other{t, path + "-beside"};
    auto beside = acquire_now(f, other);
    release_now(f, beside);
    CHECK_FALSE(waiting.done());
    release_now(f, held);
    CHECK(end_of(f, waiting) == error_code{});
    release_now(f, waiting.lock());
    CHECK(children_as(group, path).empty());
}

TEST_CASE("without the guard, tickets carry what the options say alone") {
    fixture f;
    const auto path = fresh_tree();
    auto options = options_as(alice, acl::creator_all());
    options.protect_tickets = false;
    session s{f.context, options};
    mutex lock{s, path};
    auto held = acquire_now(f, lock);
    auto eyes = client_as(alice);
    const auto names = children_as(eyes, path);
    REQUIRE(names.size() == 1);
    CHECK(names[0].starts_with("open-"));
    CHECK(rights_of(eyes, path + '/' + names[0]) == std::vector{anyones(read_right)});
    release_now(f, held);
}

TEST_CASE("a path at which others have more rights than the session's acl gives is told of") {
    struct one_case {
        std::string who;
        std::vector<node_right> at_path;
        acl asked;
        bool told;
    };
    const auto given = [](const std::string& who, permission what) {
        return acl::list({acl_entry::digest(who, what)});
    };
    const auto used =
        permission::read | permission::write | permission::create | permission::remove;
    const auto all = std::vector<one_case>{
        {alice, {anyones(every_right)}, acl::creator_all(), true},
        {alice, {right_of(alice, 31), right_of(bob, 8)}, acl::creator_all(), true},
        {alice, {right_of(alice, 31)}, acl::creator_all(), false},
        {alice, {right_of(alice, 15)}, given(alice, used), false}, // its digest is told as "x"
        {alice, {right_of(alice, 31)}, given(alice, used), true},
        {alice, {anyones(15)}, acl::list({acl_entry::anyone(permission::all)}), false},
        {alice, {anyones(every_right)}, acl::open(), false}};
    for (const auto& [who, at_path, asked, told] : all) {
        fixture f;
        const auto path = fresh_root();
        foreign_client other{shared_server().address()};
        REQUIRE(other.create(path) == 0);
        REQUIRE(other.set_acl(path, at_path) == 0);
        log_record log;
        auto options = options_as(who, asked);
        options.log.sink = log.sink();
        session s{f.context, options};
        std::optional<bool> more;
        s.check_access(path, [&](error_code why, const path_access& found) {
            CHECK(why == error_code{});
            more = found.gives_more;
        });
        f.run_until([&] { return more.has_value(); });
        CHECK(*more == told);
        mutex lock{s, path};
        auto held = acquire_now(f, lock);
        CHECK(log.mentions("others have rights at " + path) == told);
        release_now(f, held);
    }
}

TEST_CASE("a path of the session's own, or of another one with its acl, is not told of") {
    fixture f;
    const auto path = fresh_tree();
    log_record log;
    auto options = options_as(alice, acl::creator_all());
    options.log.sink = log.sink();
    for (int i = 0; i < 2; ++i) {
        session s{f.context, options};
        mutex lock{s, path};
        auto held = acquire_now(f, lock);
        release_now(f, held);
    }
    CHECK_FALSE(log.has(log_level::warning));
}
