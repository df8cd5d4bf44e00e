// SPDX-License-Identifier: BSL-1.0
// Which kind of lock a run's numbers stand for.
#include "chaos/lock_choice.hpp"
#include "support/pch.hpp"

using namespace turnstile::chaos;

namespace {

constexpr std::uint64_t as_many_as_a_run = 48;

std::map<lock_sort, int> sorts_of(lock_mix mix) {
    const lock_set all{as_many_as_a_run, mix};
    std::map<lock_sort, int> result;
    for (std::uint64_t number = 0; number < all.size(); ++number)
        ++result[all[number].sort()];
    return result;
}

} // namespace

TEST_CASE("A run has each kind of lock, or the one that was asked for") {
    using enum lock_sort;
    using sorts = std::map<lock_sort, int>;
    const sorts each{{mutex, 8},       {shared, 8},  {semaphore, 8},
                     {single_node, 8}, {guarded, 8}, {election, 8}};
    CHECK(sorts_of(lock_mix::all) == each);
    CHECK(sorts_of(lock_mix::several) == each);
    CHECK(sorts_of(lock_mix::mutex) == sorts{{mutex, 48}});
    CHECK(sorts_of(lock_mix::shared) == sorts{{shared, 48}});
    CHECK(sorts_of(lock_mix::semaphore) == sorts{{semaphore, 48}});
    CHECK(sorts_of(lock_mix::single_node) == sorts{{single_node, 48}});
    CHECK(sorts_of(lock_mix::guarded) == sorts{{guarded, 48}});
    CHECK(sorts_of(lock_mix::election) == sorts{{election, 48}});
}

TEST_CASE("Mixes of locks are told by their names") {
    for (const auto name : lock_mix_names) {
        CAPTURE(name);
        REQUIRE(lock_mix_called(name));
        CHECK(name_of(*lock_mix_called(name)) == name);
    }
    CHECK(!lock_mix_called(""));
    CHECK(!lock_mix_called("mutexes"));
}

TEST_CASE("Semaphores of a run have one to four leases, whatever else it has") {
    const lock_set all{as_many_as_a_run,
                       GENERATE(lock_mix::all, lock_mix::semaphore, lock_mix::several)};
    std::set<std::uint32_t> limits;
    for (std::uint64_t number = 0; number < all.size(); ++number) {
        if (all[number].sort() == lock_sort::semaphore) {
            limits.insert(all[number].limit());
            CHECK(all[number].compares_tokens() == (all[number].limit() == 1));
        }
    }
    CHECK(limits == std::set<std::uint32_t>{1, 2, 3, 4});
}

TEST_CASE("Of four locks with readers one is crowded, and it is one of the run's") {
    const lock_set all{as_many_as_a_run,
                       GENERATE(lock_mix::all, lock_mix::shared, lock_mix::several)};
    std::map<std::string, int> meet;
    for (std::uint64_t number = 0; number < all.size(); ++number) {
        if (all[number].sort() == lock_sort::shared) {
            const auto where = all[number].crowded();
            CHECK(where.number <= number);
            CHECK(where.sort() == lock_sort::shared);
            ++meet[where.path()];
        }
    }
    for (const auto& [path, count] : meet) {
        CAPTURE(path);
        CHECK(count == 4);
    }
}
