// SPDX-License-Identifier: BSL-1.0
// Several locks taken as one: what is asked for, in which order, and what is let go.
#include "protocol/multi/multi_acquire.hpp"

#include "support/pch.hpp"

using namespace turnstile::protocol;
using namespace std::chrono_literals;

namespace {

using texts = std::vector<std::string>;

std::string text_of(const multi_acquire::action& what) {
    constexpr std::array verbs{"look up", "acquire",   "cancel",   "release",  "granted",
                               "failed",  "duplicate", "unstable", "cancelled"};
    using enum multi_acquire::step;
    std::string text = verbs.at(static_cast<std::size_t>(what.what));
    if (what.what == granted || what.what == cancelled)
        return text;
    text += ' ' + std::to_string(what.part);
    if (what.what == acquire)
        text += " in " + std::to_string(what.key.czxid);
    if (what.limit)
        text += " for " + std::to_string(*what.limit / 1s);
    return text;
}

struct taker {
    explicit taker(std::size_t parts, std::optional<duration> limit = {})
        : taker(std::vector<std::optional<lock_key>>(parts), limit) {}
    explicit taker(std::vector<std::optional<lock_key>> known, std::optional<duration> limit = {})
        : machine(std::move(known), limit ? std::optional{now + *limit} : std::nullopt) {}

    texts said(const multi_acquire::actions& todo) {
        texts all;
        for (const auto& what : todo)
            all.push_back(text_of(what) + (what.with_next ? " &" : ""));
        return all;
    }
    texts start() { return said(machine.start(now)); }
    texts found(std::size_t part, lock_key key) { return said(machine.on_found(now, part, key)); }
    texts granted(std::size_t part) { return said(machine.on_granted(now, part)); }
    texts taken_back(std::size_t part) { return said(machine.on_taken_back(now, part)); }
    texts failed(std::size_t part) { return said(machine.on_failed(now, part)); }
    texts renewed(std::size_t part) { return said(machine.on_renewed(now, part)); }
    texts lost(std::size_t part) { return said(machine.on_lost(now, part)); }
    texts cancel() { return said(machine.cancel()); }

    instant now{1000s};
    multi_acquire machine;
};

/// Three parts whose order is 1, 2, 0.
std::vector<std::optional<lock_key>> three() {
    return {lock_key{9, 0}, lock_key{3, 0}, lock_key{5, 0}};
}

} // namespace

TEST_CASE("all paths are asked for at once, and then the locks one by one in their own order") {
    taker t(3);
    CHECK(t.start() == texts{"look up 0", "look up 1", "look up 2"});
    CHECK(t.found(2, {5, 0}).empty());
    CHECK(t.found(0, {9, 0}).empty());
    CHECK(t.found(1, {3, 0}) == texts{"acquire 1 in 3"});
    CHECK(t.granted(1) == texts{"acquire 2 in 5"});
    CHECK(t.granted(2) == texts{"acquire 0 in 9"});
    CHECK(t.granted(0) == texts{"granted"});
    CHECK(t.machine.order() == std::vector<std::size_t>{1, 2, 0});
}

TEST_CASE(
    "paths that are known are not asked for, and of those of one czxid the older comes first") {
    taker t({lock_key{3, 8}, std::nullopt, lock_key{3, 7}});
    CHECK(t.start() == texts{"look up 1"});
    CHECK(t.found(1, {2, 9}) == texts{"acquire 1 in 2"});
    CHECK(t.granted(1) == texts{"acquire 2 in 3"});
    CHECK(t.granted(2) == texts{"acquire 0 in 3"});
}

TEST_CASE("one lock named twice is refused before anything is acquired") {
    taker t({lock_key{3, 7}, lock_key{4, 7}, std::nullopt});
    CHECK(t.start() == texts{"look up 2"});
    CHECK(t.found(2, {3, 7}) == texts{"duplicate 2"});
}

TEST_CASE("paths that one transaction has made are taken in the order of their names") {
    taker t({lock_key{3, 7, "/b"}, lock_key{3, 7, "/a"}});
    CHECK(t.start() == texts{"acquire 1 in 3"});
    CHECK(t.granted(1) == texts{"acquire 0 in 3"});
    CHECK(t.machine.order() == std::vector<std::size_t>{1, 0});
}

TEST_CASE("where a part fails, those before it are released in reverse") {
    taker t(three());
    t.start();
    t.granted(1);
    t.granted(2);
    CHECK(t.failed(0) == texts{"release 2", "release 1", "failed 0"});
    CHECK(t.cancel().empty());
}

TEST_CASE("a lock path that was made anew comes later, and what is held before it stays") {
    taker t(three());
    t.start();
    t.granted(1);
    CHECK(t.renewed(2) == texts{"look up 0", "look up 2"}); // 0 may have been deleted as well
    CHECK(t.found(0, {9, 0}).empty());
    SECTION("until all are held") {
        CHECK(t.found(2, {12, 0}) == texts{"acquire 0 in 9"});
        CHECK(t.granted(0) == texts{"acquire 2 in 12"});
        CHECK(t.granted(2) == texts{"granted"});
        CHECK(t.machine.order() == std::vector<std::size_t>{1, 0, 2});
    }
    SECTION("but not behind it, where a key has become smaller") {
        CHECK(t.found(2, {2, 0}) == texts{"release 1", "acquire 2 in 2"});
    }
    SECTION("but not where two are one lock by now") {
        CHECK(t.found(2, {9, 0}) == texts{"release 1", "duplicate 2"});
    }
    SECTION("but not where the look-up fails") {
        CHECK(t.failed(2) == texts{"release 1", "failed 2"});
    }
    SECTION("but not after a cancellation") {
        CHECK(t.cancel() == texts{"cancel 2", "release 1", "cancelled"});
        CHECK(t.found(2, {12, 0}).empty());
    }
    SECTION("but not where it is lost meanwhile") {
        CHECK(t.lost(1) == texts{"cancel 2", "release 1"});
        SECTION("and the path is found") {
            CHECK(t.found(2, {12, 0}) == texts{"look up 0", "look up 1", "look up 2"});
        }
        SECTION("and the path is not found") {
            CHECK(t.failed(2) == texts{"look up 0", "look up 1", "look up 2"});
        }
    }
}

TEST_CASE("paths that are made anew for ever are an error, and nothing stays held") {
    taker t({lock_key{1, 0}, lock_key{3, 0}});
    t.start();
    t.granted(0);
    std::int64_t czxid = 4;
    auto last = t.renewed(1);
    for (; last == texts{"look up 1"} && czxid < 1000; ++czxid) {
        t.found(1, {czxid, 0});
        last = t.renewed(1);
    }
    CHECK(last == texts{"release 0", "unstable 1"});
    CHECK(czxid == 69); // 64, and one for each part
}

TEST_CASE("paths that were all deleted for being empty cost one round of look-ups") {
    constexpr std::size_t parts = 100;
    std::vector<std::optional<lock_key>> known;
    for (std::size_t part = 0; part < parts; ++part)
        known.emplace_back(lock_key{static_cast<std::int64_t>(part) + 1, 0});
    taker t(std::move(known));
    t.machine.may_go_together(std::vector<std::size_t>(parts, 1));
    CHECK(t.start().size() == parts);
    CHECK(t.renewed(0).empty());
    for (std::size_t part = 1; part + 1 < parts; ++part)
        CHECK(t.taken_back(part).empty());
    const auto asked = t.taken_back(parts - 1);
    CHECK(asked.size() == parts);
    CHECK(asked.front() == "look up 0");
    CHECK(asked.back() == "look up " + std::to_string(parts - 1));
}

TEST_CASE("all parts share one time limit") {
    taker t({lock_key{3, 0}, std::nullopt}, 10s);
    CHECK(t.start() == texts{"look up 1 for 10"});
    t.now += 2s;
    CHECK(t.found(1, {5, 0}) == texts{"acquire 0 in 3 for 8"});
    t.now += 3s;
    CHECK(t.granted(0) == texts{"acquire 1 in 5 for 5"});
    t.now += 9s;
    CHECK(t.renewed(1) == texts{"look up 1 for 0"});
}

TEST_CASE("parts of one session that come one after the other are tried in one transaction") {
    taker t({lock_key{9, 0}, lock_key{3, 0}, lock_key{5, 0}, lock_key{7, 0}, lock_key{11, 0}});
    t.machine.may_go_together({1, 1, 1, 2, 1});
    CHECK(t.start() == texts{"acquire 1 in 3 &", "acquire 2 in 5"});
    CHECK(t.granted(1).empty());
    CHECK(t.granted(2) == texts{"acquire 3 in 7"});
    CHECK(t.granted(3) == texts{"acquire 0 in 9 &", "acquire 4 in 11"});
    CHECK(t.granted(0).empty());
    CHECK(t.granted(4) == texts{"granted"});
}

TEST_CASE("a part is a later one where others are held by then") {
    taker t(three());
    CHECK_FALSE(t.machine.start(t.now).front().later_part);
    CHECK(t.machine.on_granted(t.now, 1).front().later_part);
    SECTION("and not where all begin again") {
        t.lost(1);
        t.taken_back(2);
        t.found(0, {9, 0});
        t.found(1, {3, 0});
        const auto todo = t.machine.on_found(t.now, 2, {5, 0});
        CHECK_FALSE(todo.front().later_part);
    }
}
