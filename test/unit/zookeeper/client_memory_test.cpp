// What the C client gives back, it gets again; all else is as with malloc.
#include "zookeeper/client_memory.hpp"

#include "support/pch.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <vector>

using turnstile::zookeeper::client_memory;

namespace {

struct shelves : client_memory {
    using client_memory::client_memory;
    ~shelves() { give_back(); }
};

bool is_all(const void* bytes, std::size_t count, unsigned char value) {
    const auto* const each = static_cast<const unsigned char*>(bytes);
    return std::all_of(each, each + count, [&](unsigned char one) { return one == value; });
}

} // namespace

TEST_CASE("a block that was given back is the next one of its length") {
    shelves memory(4);
    auto* const first = memory.allocate(100);
    auto* const other = memory.allocate(300);
    memory.release(first);
    CHECK(memory.kept() == 1);
    auto* const again = memory.allocate(128); // rounded up to the same
    CHECK(again == first);
    CHECK(memory.kept() == 0);
    auto* const third = memory.allocate(129);
    CHECK(third != first);
    for (auto* const each : {again, other, third})
        memory.release(each);
}

TEST_CASE("a block can be filled to its end, whatever its length") {
    shelves memory(2);
    for (int round = 0; round < 2; ++round) {
        std::vector<void*> blocks;
        for (const std::size_t size :
             std::initializer_list<std::size_t>{0, 1, 63, 64, 65, 511, 512, 513, 100'000}) {
            blocks.push_back(memory.allocate(size));
            REQUIRE(blocks.back());
            CHECK(reinterpret_cast<std::uintptr_t>(blocks.back()) % alignof(std::max_align_t) == 0);
            std::memset(blocks.back(), 0xff, size);
        }
        for (auto* const each : blocks)
            memory.release(each);
    }
}

TEST_CASE("no more than so many of a length are kept, and no long ones") {
    shelves memory(2);
    std::vector<void*> blocks;
    for (int i = 0; i < 5; ++i)
        blocks.push_back(memory.allocate(64));
    blocks.push_back(memory.allocate(513));
    for (auto* const each : blocks)
        memory.release(each);
    CHECK(memory.kept() == 2);
    memory.give_back();
    CHECK(memory.kept() == 0);
}

TEST_CASE("zeros are zeros in a block that was used before") {
    shelves memory(1);
    auto* const used = memory.allocate(200);
    std::memset(used, 0xff, 200);
    memory.release(used);
    auto* const zeros = memory.allocate_zeros(25, 8);
    CHECK(zeros == used);
    CHECK(is_all(zeros, 200, 0));
    memory.release(zeros);
}

TEST_CASE("a block that grows keeps its bytes, and moves only where it must") {
    shelves memory(4);
    auto* const small = memory.resize(nullptr, 10);
    std::memset(small, 0x5a, 10);
    CHECK(memory.resize(small, 64) == small);
    for (const std::size_t size : std::initializer_list<std::size_t>{65, 500, 5'000}) {
        auto* const grown = memory.resize(small, size);
        CHECK(grown != small);
        CHECK(is_all(grown, 10, 0x5a));
        memory.release(grown);
        CHECK(memory.resize(nullptr, 64) == small);
        std::memset(small, 0x5a, 10);
    }
    memory.release(small);
}

TEST_CASE("text is copied with its end") {
    shelves memory(1);
    auto* const used = memory.allocate(64); // no zeros are left in it
    std::memset(used, 0xff, 64);
    memory.release(used);
    auto* const text = memory.copy("a lock path");
    CHECK(static_cast<void*>(text) == used);
    CHECK(std::strcmp(text, "a lock path") == 0);
    memory.release(text);
}

TEST_CASE("what there is no memory for is told as null, and what was there stays") {
    shelves memory(1);
    CHECK_FALSE(memory.allocate(SIZE_MAX));
    CHECK_FALSE(memory.allocate_zeros(SIZE_MAX / 4 + 2, 4)); // 4, for who does not look
    auto* const stays = memory.copy("stays");
    CHECK_FALSE(memory.resize(stays, SIZE_MAX));
    CHECK(std::strcmp(static_cast<char*>(static_cast<void*>(stays)), "stays") == 0);
    memory.release(stays);
    memory.release(nullptr);
    CHECK(memory.kept() == 1);
}
