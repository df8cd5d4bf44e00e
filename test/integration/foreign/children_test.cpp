// SPDX-License-Identifier: BSL-1.0
// What other programs leave in a lock directory, and their tickets in the same line.
#include "integration/support/fault_rig.hpp"
#include "support/pch.hpp"

namespace {

struct company {
    const std::string address;
    const std::string path = fresh_path("company");
    onlooker eyes{address};
    fixture f;
    session s{f.context, impatient(address)};
    session t{f.context, impatient(address)};

    explicit company(std::string where = shared_server().address()) : address(std::move(where)) {
        auto& other = eyes.client();
        other.create("/locks");
        REQUIRE(other.create(path) == 0);
    }

    std::string make(const std::string& name, create_mode mode) {
        std::string made;
        REQUIRE(eyes.client().create(path + "/" + name, "theirs", mode, &made) == 0);
        return made;
    }
};

// As Curator, Kazoo, and the recipes of ZooKeeper's own Java and C clients name their tickets.
const std::vector<std::string> foreign_tickets{
    "_c_8f3b2c1d-0a4e-4d7f-9b6a-112233445566-lock-",
    "0123456789abcdef0123456789abcdef__lock__",
    "x-72057594037927936-",
    "x-0100000000000000-",
    "lock-",
};

} // namespace

TEST_CASE("children that are no tickets are ignored") {
    company c;
    for (const auto& name :
         {"0", "config", "x-", "no_dash_at_all", "whatever-lock-0000000000", "lock-", "lock-12345",
          "-lock--2147483648", "x-1-000000000a", "turn-", "turn-1-lock-", "0000000000"})
        c.make(name, create_mode::persistent);
    c.make("member-", create_mode::ephemeral_sequential);
    c.make("n_", create_mode::ephemeral_sequential);
    c.make("persistent-lock-", create_mode::persistent_sequential);
    const auto others = c.eyes.count(c.path);
    crowd users{{&c.s, &c.t}, c.path, 10};
    users.line_up();
    serve_all(c.f, users, 10);
    await_children(c.f, c.eyes, c.path, others);
    contender hasty{c.s, c.path};
    hasty.try_acquire();
    c.f.run_until([&] { return hasty.completed == 1; });
    CHECK(hasty.holds());
}

TEST_CASE("tickets of other programs are waited for") {
    for (const auto& name : foreign_tickets) {
        INFO(name);
        company c;
        const auto theirs = c.make(name, create_mode::ephemeral_sequential);
        contender hasty{c.t, c.path};
        hasty.try_acquire();
        c.f.run_until([&] { return hasty.completed == 1; });
        CHECK(hasty.failure == error::would_block);
        await_children(c.f, c.eyes, c.path, 1);
        contender user{c.s, c.path};
        user.acquire();
        await_children(c.f, c.eyes, c.path, 2);
        await_watches(c.f, shared_server().port(), 1);
        CHECK_FALSE(user.holds());
        // Curator's Revoker and others set data: that is no release.
        REQUIRE(c.eyes.client().set(theirs, "revoke") == 0);
        settle(c.f, c.s);
        CHECK_FALSE(user.holds());
        REQUIRE(c.eyes.client().remove(theirs) == 0);
        c.f.run_until([&] { return user.holds(); });
        CHECK(user.lock.is_held());
    }
}

TEST_CASE("a line of all programs is served in the order of the sequence numbers") {
    company c;
    std::vector<std::unique_ptr<contender>> ours;
    std::vector<std::string> theirs;
    journal book;
    // theirs, ours, theirs, ours, ...
    for (std::size_t i = 0; i < foreign_tickets.size(); ++i) {
        theirs.push_back(c.make(foreign_tickets[i], create_mode::ephemeral_sequential));
        ours.push_back(std::make_unique<contender>(i % 2 == 0 ? c.s : c.t, c.path, &book));
        ours.back()->acquire();
        await_children(c.f, c.eyes, c.path, 2 * (i + 1));
    }
    const auto granted = [&] { return book.grants.size(); };
    for (std::size_t i = 0; i < theirs.size(); ++i) {
        settle(c.f, c.s);
        settle(c.f, c.t);
        CHECK(granted() == i);
        REQUIRE(c.eyes.client().remove(theirs[i]) == 0);
        c.f.run_until([&] { return ours[i]->holds(); });
        CHECK(granted() == i + 1);
        ours[i]->release();
        c.f.run_until([&] { return ours[i]->release_result.has_value(); });
    }
    CHECK(book.violations() == journal::no_violations);
    CHECK(c.eyes.count(c.path) == 0);
}

TEST_CASE("without protected tickets a foreign set is no release, and releases work") {
    zookeeper_server careless{{.system_properties = {"zookeeper.skipACL=yes"}}};
    company c{careless.address()};
    auto options = impatient(c.address);
    options.protect_tickets = false;
    session open_s{c.f.context, options};
    session open_t{c.f.context, options};
    journal book;
    contender holder{open_s, c.path, &book};
    contender waiter{open_t, c.path, &book};
    contender guarded{c.s, c.path, &book};
    acquire_now(c.f, holder);
    waiter.acquire();
    await_children(c.f, c.eyes, c.path, 2);
    guarded.acquire();
    await_children(c.f, c.eyes, c.path, 3);
    const auto names = c.eyes.children(c.path);
    CHECK(names[0].starts_with("open-"));
    for (int i = 0; i < 3; ++i) {
        REQUIRE(c.eyes.client().set(c.path + "/" + names[0], "revoke") == 0);
        REQUIRE(c.eyes.client().set(c.path + "/" + names[1], "revoke") == 0);
        settle(c.f, open_t);
        settle(c.f, c.s);
        CHECK_FALSE(waiter.holds());
        CHECK_FALSE(guarded.holds());
        CHECK(holder.lock.is_held());
    }
    waiter.release_when_granted = true;
    holder.release();
    c.f.run_until([&] { return guarded.holds(); });
    CHECK(book.in_order({&holder, &waiter, &guarded}));
    CHECK(book.violations() == journal::no_violations);
}
