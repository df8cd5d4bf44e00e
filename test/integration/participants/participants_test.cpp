// SPDX-License-Identifier: BSL-1.0
// Who stands in line, asked of a real server.
#include "integration/semaphore/two_semaphores.hpp"

#include "support/foreign_client.hpp"

#include <unistd.h>

namespace {

session_options labelled(const std::string& label) {
    auto result = options_for();
    result.label = label;
    return result;
}

struct line_stage : fixture {
    line_stage() {
        run([&]() -> asio::awaitable<void> {
            co_await here.connect();
            co_await there.connect();
        });
    }

    /// Acquires in the background, and waits until the ticket stands.
    template <class Acquire>
    void stand(Acquire how) {
        const auto before = children_of(path).size();
        spawn([this, how]() -> asio::awaitable<void> { locks.push_back(co_await how()); });
        run_until([&] { return children_of(path).size() > before; });
    }

    session here{context, labelled("here")};
    session there{context, labelled("there")};
    const std::string path = fresh_path("participants");
    shared_mutex ours{here, path};
    shared_mutex theirs{there, path};
    std::vector<held_lock> locks;
};

auto wishes_to_write(shared_mutex& which) {
    return [&which]() -> asio::awaitable<held_lock> { co_return co_await which.acquire(); };
}
auto wishes_to_read(shared_mutex& which) {
    return
        [&which]() -> asio::awaitable<held_lock> { co_return co_await which.shared().acquire(); };
}

} // namespace

TEST_CASE("who holds and who waits is told in order, with host, process, label and age") {
    line_stage f;
    f.stand(wishes_to_read(f.ours));
    f.spawn([&]() -> asio::awaitable<void> { // shares the ticket
        f.locks.push_back(co_await f.ours.shared().acquire());
    });
    f.run_until([&] { return f.locks.size() == 2; });
    f.stand(wishes_to_write(f.theirs));
    f.stand(wishes_to_read(f.theirs));
    const auto asked = std::chrono::system_clock::now();
    const auto found = line_of(f, f.ours);
    REQUIRE(found.size() == 3);
    CHECK(found[0].holds);
    CHECK(found[0].shared);
    CHECK(found[0].handles == 2);
    CHECK(found[0].label == "here");
    CHECK(found[0].session_id == f.here.id());
    CHECK_FALSE(found[1].holds);
    CHECK_FALSE(found[1].shared);
    CHECK(found[1].handles == 0);
    CHECK(found[1].label == "there");
    CHECK(found[1].session_id == f.there.id());
    CHECK_FALSE(found[2].holds);
    CHECK(found[2].shared);
    CHECK(found[2].label == "there");
    std::string host(256, '\0');
    REQUIRE(::gethostname(host.data(), host.size() - 1) == 0);
    for (const auto& each : found) {
        CHECK(each.known == participant::knowledge::answered);
        CHECK_FALSE(each.foreign);
        CHECK(each.host == host.c_str());
        CHECK(each.pid == std::to_string(::getpid()));
        CHECK(each.data.starts_with("turnstile=1\n"));
        CHECK(each.age(asked) < 60s); // the server's clock is this machine's
        CHECK(each.age(asked) > -1s);
    }
    CHECK(found[0].created <= found[1].created);
    CHECK(found[1].created <= found[2].created);
    const auto same = line_of(f, f.theirs); // all see the same line
    REQUIRE(same.size() == 3);
    CHECK(same[0].handles == 0);
    CHECK(same[1].handles == 1);
    CHECK(same[2].handles == 1);
    CHECK(same[2].node == found[2].node);
}

TEST_CASE("tickets of other programs stand in the list, with what their data gives") {
    line_stage f;
    f.stand(wishes_to_write(f.ours));
    foreign_client other{shared_server().address()};
    for (const auto* const name :
         {"_c_7ba9a3b1-lock-", "41f2__lock__", "41f2__rlock__", "x-103b2-", "some-other-"})
        REQUIRE(other.create(f.path + '/' + name, name, create_mode::ephemeral_sequential) == 0);
    REQUIRE(other.create(f.path + "/_c_stays-lock-", "", create_mode::persistent_sequential) == 0);
    const auto found = line_of(f, f.ours);
    REQUIRE(found.size() == 6);
    CHECK_FALSE(found[0].foreign);
    CHECK(found[0].holds);
    for (std::size_t i = 1; i < 5; ++i) {
        CHECK(found[i].foreign);
        CHECK_FALSE(found[i].holds);
        CHECK(found[i].host.empty());
        CHECK(found[i].session_id == other.session_id());
    }
    CHECK(found[1].data == "_c_7ba9a3b1-lock-");
    CHECK(found[2].data == "41f2__lock__");
    CHECK(found[3].shared);
    CHECK(found[4].node.starts_with("x-103b2-"));
    CHECK(found[5].node.starts_with("_c_stays-lock-")); // made last
    CHECK(found[5].session_id == 0);
    CHECK_FALSE(found[5].holds);
}

TEST_CASE("a survey is an operation as the others: token, start, end, cancellation, bad path") {
    fixture f;
    session s{f.context, options_for()};
    mutex m{s, fresh_path("participants")};
    SECTION("it starts the session") {
        auto found = m.list_participants(asio::use_future);
        f.run_until([&] { return found.wait_for(0s) == std::future_status::ready; });
        CHECK(found.get().empty());
    }
    std::optional<error_code> told;
    const auto tell = [&](error_code result, std::vector<participant> none) {
        told = result;
        CHECK(none.empty());
    };
    SECTION("a bad path") {
        mutex bad{s, "no path"};
        bad.list_participants(50, tell);
        CHECK_FALSE(told); // never inline
        f.run_until([&] { return told.has_value(); });
        CHECK(*told == error::bad_path);
    }
    SECTION("cancelled") {
        asio::cancellation_signal signal;
        m.list_participants(50, asio::bind_cancellation_slot(signal.slot(), tell));
        signal.emit(asio::cancellation_type::total);
        f.run_until([&] { return told.has_value(); });
        CHECK(*told == asio::error::operation_aborted);
    }
    SECTION("the lock object goes") {
        auto gone = std::make_unique<mutex>(s, "/locks/gone");
        gone->list_participants(50, tell);
        gone.reset();
        f.run_until([&] { return told.has_value(); });
        CHECK(*told == asio::error::operation_aborted);
    }
    SECTION("the session is closed meanwhile") {
        m.list_participants(50, tell);
        s.close([](error_code) {});
        f.run_until([&] { return told.has_value(); });
        CHECK(*told == error::session_closed);
        told.reset();
        m.list_participants(50, tell);
        f.run_until([&] { return told.has_value(); });
        CHECK(*told == error::session_closed);
    }
}

TEST_CASE("the permits of a semaphore are told, and who waits for some") {
    two_semaphores f;
    CHECK(line_of(f, f.ours).empty());
    held_lock two;
    held_lock further;
    f.run([&]() -> asio::awaitable<void> {
        two = co_await f.ours.permits(2).acquire();
        further = two.share();
    });
    std::optional<held_lock> waited;
    f.theirs.permits(2).acquire([&](error_code why, held_lock granted) {
        CHECK(why == error_code{});
        waited = std::move(granted);
    });
    f.await_line(1);
    const auto found = line_of(f, f.ours);
    REQUIRE(found.size() == 3);
    for (const std::size_t i : {0, 1}) {
        CHECK(found[i].node.starts_with("leases/try-"));
        CHECK(found[i].holds);
        CHECK(found[i].handles == 2);
        CHECK(found[i].session_id == f.here.id());
        CHECK_FALSE(found[i].host.empty());
    }
    CHECK(found[2].node.starts_with("queue/turn-"));
    CHECK_FALSE(found[2].holds);
    CHECK(found[2].handles == 0); // only its own session knows
    CHECK(found[2].session_id == f.there.id());
    const auto seen_there = line_of(f, f.theirs);
    REQUIRE(seen_there.size() == 3);
    CHECK(seen_there[0].handles == 0);
    CHECK(seen_there[2].handles == 1);
    f.run([&]() -> asio::awaitable<void> {
        co_await two.release();
        co_await further.release();
    });
    f.run_until([&] { return waited.has_value(); });
    const auto after = line_of(f, f.theirs);
    REQUIRE(after.size() == 2);
    CHECK(after[0].node.starts_with("leases/"));
    CHECK(after[0].handles == 1);
}

TEST_CASE("nodes of a semaphore that go with no session are told last, and can be deleted") {
    two_semaphores f;
    auto one = acquire_now(f, f.ours.permits(1));
    foreign_client hand{shared_server().address()};
    REQUIRE(hand.create(f.path + "/leases/take-1-2-3-lease-0000000000") == 0);
    REQUIRE(hand.create(f.path + "/queue/turn-1-lock-0000000000") == 0);
    const auto found = line_of(f, f.theirs);
    REQUIRE(found.size() == 3);
    CHECK(found[0].session_id == f.here.id());
    CHECK(found[0].holds);
    CHECK(found[1].node == "leases/take-1-2-3-lease-0000000000");
    CHECK(found[2].node == "queue/turn-1-lock-0000000000");
    for (const std::size_t i : {1, 2}) {
        CHECK(found[i].known == participant::knowledge::answered);
        CHECK(found[i].session_id == 0);
        CHECK_FALSE(found[i].holds);
        CHECK(result_of(f, [&](auto t) { f.theirs.evict(found[i], std::move(t)); }) ==
              error_code{});
    }
    const auto left = line_of(f, f.theirs);
    REQUIRE(left.size() == 1);
    CHECK(left[0].node == found[0].node);
    CHECK(one.is_held());
}
