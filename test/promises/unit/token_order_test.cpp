// SPDX-License-Identifier: BSL-1.0
// Tokens that grow, and first come, first served.
#include "run.hpp"

#include "support/pch.hpp"

using namespace turnstile::promises;

namespace {

/// Each asks, is granted and releases before the next one.
void serve(run& r, acquire_id who, std::uint64_t token, units takes = 1,
           std::optional<place> where = {}) {
    r.asks(0, who, takes);
    r.granted(0, who, token, where);
    r.releases(0, who);
}

} // namespace

TEST_CASE("tokens of a mutex grow with each grant") {
    run r;
    serve(r, 1, 5);
    serve(r, 2, 9);
    CHECK(r.found() == words{});
    const auto token = GENERATE(as<std::uint64_t>{}, 9, 8, 1);
    serve(r, 3, token);
    CHECK(r.found() == words{"a3: its token falls, after a2"});
    serve(r, 4, 10);
    CHECK(r.found().size() == 1); // measured against the largest
}

TEST_CASE("a lock that is granted with the empty token is granted with none") {
    const auto kind = GENERATE(mutex, semaphore(2));
    run r{kind};
    serve(r, 1, 0);
    CHECK(r.found() == words{"a1: its token is the empty one"});
}

TEST_CASE("grants on one ticket are told apart by the second part of the token") {
    run r;
    r.asks(0, 1);
    r.judged.see({.what = happening::granted, .who = 1, .token = {5, 1}});
    r.releases(0, 1);
    r.asks(0, 2);
    r.judged.see({.what = happening::granted, .who = 2, .token = {5, 2}});
    CHECK(r.found() == words{});
}

TEST_CASE("readers among themselves need no order; readers and writers do") {
    const auto all = shared_mutex.all();
    run r{shared_mutex};
    serve(r, 1, 5, all);
    serve(r, 2, 9, reader);
    serve(r, 3, 7, reader);
    CHECK(r.found() == words{});
    SECTION("a writer before a reader that was served") {
        serve(r, 4, 8, all);
        CHECK(r.found() == words{"a4: its token falls, after a2"});
    }
    SECTION("a reader before a writer that was served") {
        serve(r, 4, 4, reader);
        CHECK(r.found() == words{"a4: its token falls, after a1"});
    }
}

TEST_CASE("tokens of a semaphore that several may hold mean nothing") {
    run one{semaphore(1)};
    serve(one, 1, 9);
    serve(one, 2, 5);
    CHECK(one.found() == words{"a2: its token falls, after a1"});
    run several{semaphore(2)};
    serve(several, 1, 9, 2);
    serve(several, 2, 5, 2);
    CHECK(several.found() == words{});
}

TEST_CASE("who comes first is served first") {
    run r;
    serve(r, 1, 5, 1, place{1, 3});
    serve(r, 2, 6, 1, place{1, 5});
    CHECK(r.found() == words{});
    serve(r, 3, 7, 1, place{1, 4});
    CHECK(r.found() == words{"a3 came first and was served after a2"});
}

TEST_CASE("places of another queue cannot be compared") {
    run r;
    serve(r, 1, 5, 1, place{1, 3});
    serve(r, 2, 6, 1, place{4, 0});
    serve(r, 3, 7); // not known
    CHECK(r.found() == words{});
    serve(r, 4, 8, 1, place{4, 1});
    serve(r, 5, 9, 1, place{4, 0});
    CHECK(r.found() == words{"a5 came first and was served after a4"});
}

TEST_CASE("a kind of lock without a queue promises no order, and tokens all the same") {
    run r{single_node_mutex};
    serve(r, 1, 5, 1, place{1, 3});
    serve(r, 2, 6, 1, place{1, 2});
    CHECK(r.found() == words{});
    serve(r, 3, 4);
    CHECK(r.found() == words{"a3: its token falls, after a2"});
}

TEST_CASE("what is granted in an excused time is told late, and says nothing of others") {
    run r;
    serve(r, 1, 5, 1, place{1, 5});
    r.see(0, 2, happening::excused);
    serve(r, 2, 3, 1, place{1, 3});
    r.see(0, 3, happening::excused);
    serve(r, 3, 9, 1, place{1, 9});
    serve(r, 4, 6, 1, place{1, 6});
    CHECK(r.found() == words{});
}
