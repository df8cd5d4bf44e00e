// SPDX-License-Identifier: BSL-1.0
// A lock path in which other programs have left far more children than there are tickets.
#include "figures.hpp"
#include "stopwatch.hpp"

#include "integration/support/fault_rig.hpp"
#include "support/frame_proxy.hpp"
#include "support/pch.hpp"

#include <malloc.h>

namespace {

const std::string full_path = "/q/full";

std::size_t allocated() { return ::mallinfo2().uordblks; }

struct among_strangers {
    explicit among_strangers(std::size_t count) : strangers(count) {
        auto& other = eyes.client();
        REQUIRE(other.create("/q") == 0);
        REQUIRE(other.create(full_path) == 0);
        for (std::size_t i = 0; i < strangers; ++i)
            REQUIRE(other.create(full_path + "/no-ticket-" + std::to_string(i)) == 0);
        connect(f, s);
        connect(f, t);
    }

    /// Of the lock path. A ticket's own children are asked for as well: it has none.
    std::uint64_t listings() const { return static_cast<std::uint64_t>(proxy.hits(lists)); }

    // Twice: the second time all is known that a session learns of a path but once.
    void serve(std::size_t each) {
        for (int round = 0; round < 2; ++round) {
            crowd users{{&s, &t}, full_path, each};
            users.line_up();
            serve_all(f, users, each);
            await_children(f, eyes, full_path, strangers, 60s);
        }
        // Not one for each look: the first of a session needs it, and what a new connection finds.
        CHECK(listings() <= 2 * proxy.stats().connections);
    }

    // A stranger's ticket is not where the look for the neighbour expects one: it has to list.
    void list() {
        const auto before = listings();
        std::string theirs;
        REQUIRE(eyes.client().create(full_path + "/their-lock-", "",
                                     create_mode::ephemeral_sequential, &theirs) == 0);
        contender user{s, full_path};
        user.acquire();
        await_watches(f, server.port(), 1);
        CHECK_FALSE(user.holds());
        CHECK(listings() > before); // else this test shows nothing
        REQUIRE(eyes.client().remove(theirs) == 0);
        f.run_until([&] { return user.holds(); });
        user.release();
        f.run_until([&] { return user.release_result.has_value(); });
        CHECK_FALSE(*user.release_result);
    }

    std::size_t strangers;
    zookeeper_server server{{.heap = "512m"}};
    frame_proxy proxy{server.port()};
    rule_id lists = proxy.add_rule(
        {.op = op::get_children2, .path = full_path, .without = full_path + "/", .times = 0});
    onlooker eyes{server.address()};
    fixture f;
    session s{f.context, impatient(proxy.address())};
    session t{f.context, impatient(proxy.address())};
};

} // namespace

TEST_CASE("a lock path with 3000 children that are no tickets serves all, and keeps none of them") {
    among_strangers a(3'000);
    a.serve(20);
    a.list();
    const auto before = allocated();
    a.list();
    CHECK(allocated() < before + 3'000 * 8); // not even a pointer for each of them
}

TEST_CASE("100000 children that are no tickets", "[.][soak]") {
    among_strangers a(100'000);
    const stopwatch serving;
    a.serve(1'000);
    const auto served_ms = serving.ms();
    const auto listed = a.listings();
    a.list();
    const auto before = allocated();
    const stopwatch listing;
    a.list();
    const auto listed_ms = listing.ms();
    const auto kept = static_cast<double>(allocated()) - static_cast<double>(before);
    CHECK(kept < 100'000.0 * 8);
    tell_figures("children", {{"children", a.strangers},
                              {"acquired", 2'000},
                              {"served_ms", served_ms},
                              {"listings", listed},
                              {"listed_ms", listed_ms},
                              {"bytes_kept", kept}});
}
