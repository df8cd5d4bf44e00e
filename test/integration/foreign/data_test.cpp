// SPDX-License-Identifier: BSL-1.0
// A node that is in use for something else: no kind of lock sets its data to nothing.
#include "integration/semaphore/semaphore_calls.hpp"
#include "integration/support/fault_rig.hpp"

namespace {

struct occupied_path : fixture {
    occupied_path() {
        mutex beside{s, path + "-beside"};
        auto held = acquire_now(*this, beside); // makes the parents
        release_now(*this, held);
        REQUIRE(eyes.client().create(path, text) == 0);
    }
    template <class Start>
    void check_refused(Start start) {
        CHECK(result_of(*this, start) == error::path_has_data);
        std::string now;
        CHECK(eyes.client().get(path, &now) == 0);
        CHECK(now == text);
        CHECK(eyes.children(path).empty());
    }

    const std::string path = fresh_path("data");
    const std::string text = R"({"a":1})";
    onlooker eyes{shared_server().address()};
    session s{context, options_for()};
};

} // namespace

TEST_CASE("a path with data of its own is refused by each kind of lock, and keeps the data") {
    occupied_path f;
    SECTION("mutex") {
        mutex lock{f.s, f.path};
        f.check_refused([&](auto token) { lock.acquire(std::move(token)); });
        f.check_refused([&](auto token) { lock.try_acquire(std::move(token)); });
    }
    SECTION("shared_mutex") {
        shared_mutex lock{f.s, f.path};
        f.check_refused([&](auto token) { lock.acquire(std::move(token)); });
        f.check_refused([&](auto token) { lock.shared().acquire(std::move(token)); });
    }
    SECTION("single_node_mutex") {
        single_node_mutex lock{f.s, f.path};
        f.check_refused([&](auto token) { lock.acquire(std::move(token)); });
        f.check_refused([&](auto token) { lock.try_acquire(std::move(token)); });
    }
    SECTION("semaphore") {
        semaphore lock{f.s, f.path, 3};
        f.check_refused([&](auto token) { lock.acquire(std::move(token)); });
        f.check_refused([&](auto token) { lock.set_limit(4, std::move(token)); });
    }
    SECTION("multi_lock") {
        mutex other{f.s, f.path + "-other"};
        mutex lock{f.s, f.path};
        multi_lock both{other, lock};
        f.check_refused([&](auto token) { both.acquire(std::move(token)); });
    }
    SECTION("and used once the data is gone") {
        mutex lock{f.s, f.path};
        f.check_refused([&](auto token) { lock.acquire(std::move(token)); });
        REQUIRE(f.eyes.client().set(f.path, {}) == 0);
        auto held = acquire_now(f, lock);
        release_now(f, held);
    }
}

TEST_CASE("a semaphore, whole or half deleted, at a node with data of its own keeps the data") {
    const bool whole = GENERATE(true, false);
    fixture f;
    const auto path = fresh_path("data");
    session s{f.context, options_for()};
    semaphore lock{s, path, 3};
    auto held = acquire_now(f, lock);
    release_now(f, held);
    onlooker eyes{shared_server().address()};
    if (!whole)
        REQUIRE(eyes.client().remove(path + "/limit") == 0);
    REQUIRE(eyes.client().set(path, "mine") == 0);
    const auto parts = eyes.children(path);
    CHECK(result_of(f, [&](auto token) { lock.remove(std::move(token)); }) == error::path_has_data);
    session t{f.context, options_for()};
    semaphore another{t, path, 3};
    // Where it is whole, nothing sets the path.
    const auto expected = whole ? error_code{} : make_error_code(error::path_has_data);
    CHECK(result_of(f, [&](auto token) { another.acquire(std::move(token)); }) == expected);
    CHECK(result_of(f, [&](auto token) { another.set_limit(4, std::move(token)); }) == expected);
    std::string now;
    CHECK(eyes.client().get(path, &now) == 0);
    CHECK(now == "mine");
    CHECK(eyes.children(path) == parts);
}
