// SPDX-License-Identifier: BSL-1.0
// Each operation completes once, for a reason, and losses are told in time.
#include "run.hpp"

#include "support/pch.hpp"

using namespace turnstile::promises;
using enum happening;

namespace {

/// What is found when this happens to an acquire, one after the other.
words found_in(const std::vector<happening>& story) {
    run r;
    for (const auto each : story)
        r.see(0, 1, each);
    return r.found();
}

} // namespace

TEST_CASE("the lives of acquires that are as promised") {
    CHECK(found_in({asks, failed}) == words{});
    CHECK(found_in({asks, cancelled}) == words{"a1: is not over after its cancel"});
    CHECK(found_in({asks, failed, cancelled}) == words{});
    CHECK(found_in({asks, granted, releases, released}) == words{});
    CHECK(found_in({asks, granted, lost}) == words{});
    CHECK(found_in({asks, granted, lost, releases, released}) == words{});
    CHECK(found_in({asks, granted, releases, lost, released}) == words{});
    CHECK(found_in({asks, dies}) == words{});
    CHECK(found_in({asks, granted, releases, dies}) == words{});
}

TEST_CASE("what is told twice, too late or of nothing is found") {
    const auto says = [](const std::vector<happening>& story) {
        const auto all = found_in(story);
        REQUIRE(all.size() == 1);
        return all.front();
    };
    CHECK(says({granted}) == "a1: never asked for");
    CHECK(says({asks, asks}) == "a1: asked twice");
    CHECK(says({asks, granted, granted}) == "a1: two completions of one acquire");
    CHECK(says({asks, failed, granted}) == "a1: two completions of one acquire");
    CHECK(says({asks, granted, failed}) == "a1: two completions of one acquire");
    CHECK(says({asks, lost}) == "a1: lost, though it was not held");
    CHECK(says({asks, granted, lost, lost}) == "a1: lost told twice");
    CHECK(says({asks, granted, releases, lost, lost}) == "a1: lost told twice");
    CHECK(says({asks, granted, releases, released, lost}) == "a1: lost, though it was not held");
    CHECK(says({asks, releases}) == "a1: released, though it was not held");
    CHECK(says({asks, failed, releases}) == "a1: released, though it was not held");
    CHECK(says({asks, granted, releases, releases}) == "a1: released twice");
    CHECK(says({asks, granted, released}) ==
          "a1: its release ended, though nobody had asked for it");
    CHECK(says({asks, granted, releases, released, released}) ==
          "a1: two completions of one release");
    CHECK(says({asks, dies, granted}) == "a1: two completions of one acquire");
}

TEST_CASE("what fails has a reason") {
    run r;
    r.asks(0, 1);
    r.judged.see({.what = failed, .who = 1, .expected = false, .reason = "read_denied"});
    CHECK(r.found() == words{"a1: failed without a reason: read_denied"});
}

TEST_CASE("acquires are open until they are over") {
    run r;
    r.asks(0, 1);
    r.takes(0, 2);
    CHECK(r.judged.open() == 2);
    r.lost(1, 2, {.believed = true});
    CHECK(r.judged.open() == 1);
    r.releases(2, 2);
    CHECK(r.judged.open() == 2);
    r.released(3, 2);
    r.see(4, 1, failed);
    CHECK(r.judged.open() == 0);
    r.asks(5, 3);
    r.granted(5, 3, 900);
    r.judged.see({.what = releases, .who = 3, .awaited = false});
    CHECK(r.judged.open() == 0);
    r.lost(6, 3); // before it was carried out
    CHECK(r.found() == words{});
}

TEST_CASE("a loss is told in time, after a warning, and not for nothing") {
    run r;
    r.takes(0, 1);
    SECTION("in time") {
        r.lost(5, 1, {.tell_by = run::at(5)});
        CHECK(r.found() == words{});
    }
    SECTION("late") {
        r.lost(5, 1, {.tell_by = run::at(4)});
        CHECK(r.found() == words{"a1: was told of its loss too late at 5 ms"});
    }
    SECTION("without a warning") {
        r.lost(5, 1, {.warned = false});
        CHECK(r.found() == words{"a1: lost without a warning at 5 ms"});
    }
    SECTION("for nothing") {
        r.lost(5, 1, {.avoidable = true});
        CHECK(r.found() == words{"a1: lost for nothing at 5 ms"});
    }
    SECTION("while something happened that is not its fault") {
        r.see(1, 1, excused);
        r.see(2, 1, excuse_over);
        r.lost(5, 1, {.avoidable = true});
        CHECK(r.found() == words{});
    }
    SECTION("without a word") {
        r.releases(5, 1);
        r.judged.see({.what = released, .who = 1, .tells_loss = true});
        CHECK(r.found() == words{"a1: had been lost without a word"});
    }
    SECTION("while it is being released") {
        r.releases(5, 1);
        r.lost(6, 1, {.tell_by = run::at(4), .warned = false, .avoidable = true});
        r.judged.see({.what = released, .who = 1, .tells_loss = true});
        CHECK(r.found() == words{});
    }
}
