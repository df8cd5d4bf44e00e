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
    CHECK(watches.take("/a") == tickets{3, 1});
    CHECK(watches.take("/a").empty());
    CHECK(watches.take("/b") == tickets{2});
    CHECK(watches.size() == 0);
}

TEST_CASE("an event that nobody waits for is told to nobody") {
    watch_table watches;
    watches.add("/a", 1);
    CHECK(watches.take("/").empty());
    CHECK(watches.take("/a/b").empty());
    CHECK(watches.size() == 1);
}

TEST_CASE("who is removed is not told, and the others are") {
    watch_table watches;
    watches.add("/a", 1);
    watches.add("/a", 2);
    watches.remove("/a", 1);
    watches.remove("/a", 9);
    watches.remove("/b", 1);
    CHECK(watches.take("/a") == tickets{2});
}

TEST_CASE("the last one's removal leaves no entry behind") {
    watch_table watches;
    watches.add("/a", 1);
    watches.remove("/a", 1);
    CHECK(watches.size() == 0);
}

TEST_CASE("all watches go with their connection") {
    watch_table watches;
    watches.add("/a", 1);
    watches.add("/b", 2);
    watches.clear();
    CHECK(watches.size() == 0);
    CHECK(watches.take("/a").empty());
}
