// SPDX-License-Identifier: BSL-1.0
// What makes a chaos run worth nothing.
#include "chaos/judgement.hpp"

#include <catch2/catch.hpp>

using namespace turnstile::chaos;
using words = std::vector<std::string>;

namespace {

/// What is demanded of such a run at the least.
run_result just_enough(const run_options& how) {
    run_result result;
    result.least_acquisitions = least_acquisitions_of(how);
    result.acquisitions = result.least_acquisitions;
    result.by_sort.fill(result.least_acquisitions / 100 + 1);
    result.several = result.least_acquisitions / 100 + 1;
    result.leases = result.least_acquisitions / 400 + 1;
    result.readers = result.least_acquisitions / 200 + 1;
    result.by_sort[1] = 2 * result.readers;
    result.downgrades = result.upgrades = result.least_acquisitions / 2000 + 1;
    result.increments = result.least_acquisitions / 200 + 1;
    result.yields = result.least_acquisitions / 10'000 + 1;
    result.hostile_ends = 1;
    result.namespaces = how.namespaces;
    const auto in_all = [&](int per_minute) {
        return static_cast<std::size_t>(how.minutes * per_minute);
    };
    result.faults = in_all(72);
    result.connection_faults = in_all(60);
    result.leader_crashes = in_all(6);
    result.process_faults = in_all(6);
    result.kinds.fill(1);
    result.stale_refused = 1;
    return result;
}

words judged(const run_options& how, run_result result) {
    judge(how, result);
    return result.failures;
}

} // namespace

TEST_CASE("A run with just enough of everything counts") {
    const run_options how;
    CHECK(judged(how, just_enough(how)) == words{});
}

TEST_CASE("A run with too little of anything proves nothing") {
    const run_options how;
    auto result = just_enough(how);
    const auto refused = [&] { return judged(how, result).size() == 1; };
    SECTION("acquisitions") { --result.acquisitions; }
    SECTION("acquisitions of several locks as one") {
        result.several = result.least_acquisitions / 100 - 1;
    }
    SECTION("semaphores among them") { result.leases = result.least_acquisitions / 400 - 1; }
    SECTION("acquisitions of one kind of lock") {
        result.by_sort[2] = result.least_acquisitions / 100 - 1;
    }
    SECTION("readers") { result.readers = result.least_acquisitions / 200 - 1; }
    SECTION("writers beside them") {
        result.readers = result.by_sort[1] - result.least_acquisitions / 200 + 1;
    }
    SECTION("writers that became readers") {
        result.downgrades = result.least_acquisitions / 2000 - 1;
    }
    SECTION("readers that became writers") {
        result.upgrades = result.least_acquisitions / 2000 - 1;
    }
    SECTION("increments of counters") { result.increments = result.least_acquisitions / 200 - 1; }
    SECTION("holders that yielded") { result.yields = result.least_acquisitions / 10'000; }
    SECTION("faults") { --result.faults; }
    SECTION("connection faults") { --result.connection_faults; }
    SECTION("leader crashes") { --result.leader_crashes; }
    SECTION("process faults") { --result.process_faults; }
    CHECK(refused());
}

TEST_CASE("A run with one kind of lock alone needs no other") {
    run_options how;
    how.locks.mix =
        GENERATE(lock_mix::mutex, lock_mix::shared, lock_mix::semaphore, lock_mix::single_node,
                 lock_mix::guarded, lock_mix::election, lock_mix::several);
    const auto mix = how.locks.mix;
    CAPTURE(std::string{name_of(mix)});
    auto result = just_enough(how);
    result.by_sort.fill(0);
    for (std::uint64_t number = 0; number < how.locks.size(); ++number)
        result.by_sort[static_cast<std::size_t>(how.locks[number].sort())] =
            result.least_acquisitions / 2;
    result.several = mix == lock_mix::several ? result.least_acquisitions : 0;
    result.leases = result.several / 6;
    result.readers = mix == lock_mix::shared ? result.least_acquisitions / 4 : 0;
    if (!how.locks.has(lock_sort::guarded))
        result.increments = 0;
    result.downgrades = result.upgrades =
        mix == lock_mix::shared ? result.least_acquisitions / 100 : 0;
    CHECK(judged(how, result) == words{});
    const double share = mix == lock_mix::several     ? 0.5
                         : mix == lock_mix::shared    ? 0.48
                         : mix == lock_mix::semaphore ? 0.43
                         : mix == lock_mix::guarded   ? 0.4
                         : mix == lock_mix::election  ? 0.3
                                                      : 1;
    CHECK(result.least_acquisitions == static_cast<std::uint64_t>(20'160 * share));
    result.acquisitions = result.least_acquisitions - 1;
    CHECK(judged(how, result).size() == 1);
}

TEST_CASE("Each kind of fault must have happened") {
    run_options how;
    const auto kind = GENERATE(range<std::size_t>(0, fault_kind_names.size()));
    auto result = just_enough(how);
    result.kinds[kind] = 0;
    const words missing{std::string{"never happened: "} + fault_kind_names[kind]};
    SECTION("in a run of three minutes") { CHECK(judged(how, result) == missing); }
    SECTION("where servers can be parted from each other") {
        how.namespaces = result.namespaces = false;
        CHECK(judged(how, result) ==
              (parts_servers(static_cast<fault_kind>(kind)) ? words{} : missing));
    }
    SECTION("but not in a shorter one") {
        how.minutes = 2;
        result.stale_refused = 0;
        CHECK(judged(how, result) == words{});
    }
    SECTION("nor in one without faults") {
        how.quiet = true;
        CHECK(judged(how, result) == words{});
    }
}

TEST_CASE("A long run must have offered stale writes to the fenced store") {
    run_options how;
    how.minutes = GENERATE(3.0, 9.0, 10.0, 30.0);
    auto result = just_enough(how);
    result.stale_refused = 0;
    CHECK(judged(how, result).size() == (how.minutes >= 10 ? 1 : 0));
    how.quiet = true;
    CHECK(judged(how, result) == words{});
}
