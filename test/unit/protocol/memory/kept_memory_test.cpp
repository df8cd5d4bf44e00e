// What a table keeps of an entry that has left.
#include "protocol/memory/kept_memory.hpp"

#include "support/pch.hpp"

#include <string>
#include <utility>

using namespace turnstile::protocol;

TEST_CASE("the next entry of a table gets the memory of the one that left") {
    if (!keeps_memory)
        return; // it goes back at once
    kept_map<int, std::string> table;
    const auto* const place = &table[1];
    table.erase(1);
    kept_map<int, std::string> other;
    CHECK(&other[1] != place); // malloc does not have it
    CHECK(&table[2] == place);
    CHECK(&table[3] != place);
}

TEST_CASE("what a table keeps stays with it, and its entries move") {
    kept_map<int, std::string> table;
    table[1] = "one";
    table[2] = "two";
    table.erase(1);
    auto moved = std::exchange(table, {});
    CHECK(table.empty());
    CHECK(moved.at(2) == "two");
    moved.erase(2);
    table[3] = "three";
    std::swap(table, moved);
    CHECK(moved.at(3) == "three");
    table[4] = "four";
    CHECK(table.size() == 1);

    kept_unordered_map<int, std::string> numbers;
    for (int i = 0; i < 100; ++i)
        numbers[i] = std::to_string(i);
    for (int i = 0; i < 99; ++i)
        numbers.erase(i);
    const auto copy = numbers;
    CHECK(copy.at(99) == "99");
}
