// SPDX-License-Identifier: BSL-1.0
// Who is told of an event.
#include "protocol/wire/watch_table.hpp"

#include "support/pch.hpp"

using namespace turnstile::protocol;

using tickets = std::vector<ticket_id>;

TEST_CASE("an event is told once to all that wait for it, in order") {
    watch_table watches;
    watches.add("/a", 3);
    watches.add("/a", 1);
    watches.add("/b", 2);
    CHECK(watches.size() == 2);
    CHECK(watches.take("/a", watch_event::changed) == tickets{3, 1});
    CHECK(watches.take("/a", watch_event::changed).empty());
    CHECK(watches.take("/b", watch_event::changed) == tickets{2});
    CHECK(watches.size() == 0);
}

TEST_CASE("who is removed is not told, and the others are") {
    watch_table watches;
    watches.add("/a", 1);
    watches.add("/a", 2);
    watches.remove("/a", 1);
    watches.remove("/a", 9);
    watches.remove("/b", 1);
    CHECK(watches.take("/a", watch_event::changed) == tickets{2});
}

TEST_CASE("watches of a node's data and of its children are told apart, and both of its end") {
    watch_table watches;
    watches.add("/a", 1);
    watches.add("/a", 2, watch_kind::children);
    watches.add("/a", 3, watch_kind::children);
    CHECK(watches.size() == 2);
    SECTION("its children") {
        CHECK(watches.take("/a", watch_event::children) == tickets{2, 3});
        CHECK(watches.take("/a", watch_event::changed) == tickets{1});
    }
    SECTION("its data") {
        CHECK(watches.take("/a", watch_event::changed) == tickets{1});
        CHECK(watches.take("/a", watch_event::children) == tickets{2, 3});
    }
    SECTION("its end") {
        watches.remove("/a", 2, watch_kind::children);
        CHECK(watches.take("/a", watch_event::deleted) == tickets{1, 3});
        CHECK(watches.size() == 0);
    }
    SECTION("that it appeared") { CHECK(watches.take("/a", watch_event::created) == tickets{1}); }
}

TEST_CASE("a watch that nobody wants any more is known until it fires or is taken off") {
    watch_table watches;
    const auto any = [](const std::string&, watch_kind) { return true; };
    watches.arm("/a", watch_kind::data);
    CHECK(watches.unwanted() == 1); // its asker has gone before the answer
    watches.add("/a", 1);
    CHECK(watches.unwanted() == 0);
    watches.arm("/a", watch_kind::data); // once more, of the same connection
    watches.add("/a", 2);
    watches.remove("/a", 1);
    CHECK(watches.unwanted() == 0);
    watches.remove("/a", 2);
    watches.remove("/a", 2);
    CHECK(watches.unwanted() == 1);
    SECTION("it fires") { CHECK(watches.take("/a", watch_event::changed).empty()); }
    SECTION("it is taken off") {
        watches.add("/b", 3);
        watches.arm("/c", watch_kind::children);
        CHECK(watches.take_unwanted([](const auto& path, auto) { return path != "/c"; }) ==
              std::vector{std::pair(std::string("/a"), watch_kind::data)});
        CHECK(watches.take_unwanted(any) ==
              std::vector{std::pair(std::string("/c"), watch_kind::children)});
    }
    SECTION("somebody else wants it") { watches.add("/a", 4); }
    SECTION("the connection ends") { watches.clear(); }
    CHECK(watches.unwanted() == 0);
}
