// SPDX-License-Identifier: BSL-1.0
#include "comparison.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace turnstile::bench;
using nlohmann::json;

namespace {

json uncontended(double scale = 1) {
    json row{{"scenario", "uncontended"},
             {"strategy", "turnstile"},
             {"sessions", 1},
             {"count", 5000},
             {"max_us", 9000.0},
             {"p50_us", 200 * scale},
             {"ratio_to_bare_client", 1.10 * scale},
             {"requests_per_acquire", 2.0}};
    for (const double each : {0.98, 0.99, 1.0, 1.01, 1.02}) {
        row["blocks"]["p50_us"].push_back(200 * scale * each);
        row["blocks"]["ratio_to_bare_client"].push_back(1.10 * scale * each);
    }
    return row;
}

json cost(double instructions, double calls) {
    return {{"scenario", "cost"},
            {"strategy", "turnstile"},
            {"instructions_per_acquire_release", instructions},
            {"system_calls_per_acquire_release", calls},
            {"system_calls", {{"sendto", 2.0}}},
            {"blocks",
             {{"instructions_per_acquire_release",
               {instructions - 20, instructions - 5, instructions, instructions + 5,
                instructions + 20}}}}};
}

side side_of(const std::vector<json>& rows) {
    side result;
    add_rows(result, json(rows), "rows.json");
    return result;
}

compared_figure find(const comparison& all, const std::string& name) {
    for (const auto& each : all.figures)
        if (each.name == name)
            return each;
    FAIL("no figure " << name);
    return {};
}

} // namespace

TEST_CASE("compare: a file beside itself is the same in every figure") {
    const auto one = side_of({uncontended(), cost(45'000, 20)});
    const auto result = compare(one, one);
    CHECK(result.figures.size() == 5);
    for (const auto& each : result.figures) {
        INFO(each.name);
        CHECK(each.said == verdict::same);
        CHECK(each.ratio == 1.0);
    }
    CHECK(result.worse() == 0);
}

TEST_CASE("compare: what is slower beyond the spread is worse, what is faster is better") {
    const auto base = side_of({uncontended()});
    const auto slower = compare(base, side_of({uncontended(1.2)}));
    CHECK(std::string(find(slower, "ratio_to_bare_client").word()) == "slower");
    CHECK(*find(slower, "ratio_to_bare_client").ratio == Approx(1.2));
    CHECK(slower.worse() == 1);
    const auto faster = compare(base, side_of({uncontended(0.8)}));
    CHECK(std::string(find(faster, "ratio_to_bare_client").word()) == "faster");
    CHECK(faster.worse() == 0);
}

TEST_CASE("compare: a time beside a ratio is told, and not held against the new side") {
    auto row = uncontended();
    row["p50_us"] = 300.0; // the machine was slow: the bare client too
    const auto result = compare(side_of({uncontended()}), side_of({row}));
    CHECK(find(result, "p50_us").said == verdict::worse);
    CHECK(result.worse() == 0);

    auto base = uncontended();
    base.erase("ratio_to_bare_client");
    row.erase("ratio_to_bare_client");
    base["blocks"].erase("ratio_to_bare_client");
    row["blocks"].erase("ratio_to_bare_client");
    CHECK(compare(side_of({base}), side_of({row})).worse() == 1);
}

TEST_CASE("compare: the bare client may become slower") {
    auto base = uncontended();
    base["strategy"] = "bare-client";
    auto row = uncontended(1.5);
    row["strategy"] = "bare-client";
    const auto result = compare(side_of({base}), side_of({row}));
    CHECK(find(result, "p50_us").said == verdict::worse);
    CHECK(result.worse() == 0);
}

TEST_CASE("compare: a peer may become slower, and may be of another release") {
    auto base = uncontended();
    base["strategy"] = "kazoo";
    base["version"] = "Kazoo 2.8.0";
    base["ratio_to_turnstile"] = 5.0;
    auto row = uncontended(1.5);
    row["strategy"] = "kazoo";
    row["version"] = "Kazoo 2.9.0";
    row["ratio_to_turnstile"] = 7.5;
    const auto result = compare(side_of({base}), side_of({row}));
    CHECK(find(result, "ratio_to_bare_client").said == verdict::worse);
    CHECK(find(result, "ratio_to_turnstile").kind == figure_kind::ratio);
    CHECK(result.worse() == 0);
}

TEST_CASE("compare: a difference within the spread is none") {
    auto base = uncontended();
    auto row = uncontended(1.1);
    for (auto* each : {&base, &row})
        (*each)["blocks"]["ratio_to_bare_client"] = {0.9, 1.0, 1.1, 1.2, 1.3};
    const auto result = compare(side_of({base}), side_of({row}));
    CHECK(find(result, "ratio_to_bare_client").said == verdict::same);
    CHECK(find(result, "p50_us").said == verdict::worse); // its own spread is narrow
}

TEST_CASE("compare: a difference too small to matter is none, however narrow the spread") {
    const auto result = compare(side_of({cost(45'000, 20)}), side_of({cost(45'300, 20)}));
    CHECK(find(result, "instructions_per_acquire_release").said == verdict::same);
}

TEST_CASE("compare: more instructions, system calls or requests are worse") {
    const auto result = compare(side_of({cost(45'000, 20)}), side_of({cost(46'000, 21)}));
    CHECK(std::string(find(result, "instructions_per_acquire_release").word()) == "more");
    CHECK(std::string(find(result, "system_calls_per_acquire_release").word()) == "more");
    CHECK(result.worse() == 2);
    const auto fewer = compare(side_of({cost(45'000, 20)}), side_of({cost(40'000, 12)}));
    CHECK(std::string(find(fewer, "system_calls_per_acquire_release").word()) == "fewer");
    CHECK(fewer.worse() == 0);

    auto row = uncontended();
    row["requests_per_acquire"] = 3.0;
    CHECK(compare(side_of({uncontended()}), side_of({row})).worse() == 1);
}

TEST_CASE("compare: a count that was none and is some is worse, without a ratio") {
    json base{{"scenario", "wakeup"}, {"strategy", "turnstile"}, {"watch_events_per_release", 0.0}};
    auto row = base;
    row["watch_events_per_release"] = 0.9;
    const auto figure = find(compare(side_of({base}), side_of({row})), "watch_events_per_release");
    CHECK(figure.said == verdict::worse);
    CHECK_FALSE(figure.ratio);
}

TEST_CASE("compare: a time of one run without blocks is not judged, of three runs it is") {
    json base{{"scenario", "wakeup"}, {"strategy", "turnstile"}, {"drain_s", 1.0}};
    auto row = base;
    row["drain_s"] = 2.0;
    const auto once = compare(side_of({base}), side_of({row}));
    CHECK(std::string(find(once, "drain_s").word()) == "unjudged");
    CHECK(once.worse() == 0);
    CHECK(compare(side_of({base, base, base}), side_of({row, row, row})).worse() == 1);
}

TEST_CASE("compare: several runs are told by their median, and their spread is that of all") {
    auto outlier = uncontended(3);
    const auto base = side_of({uncontended()});
    const auto result = compare(
        base, side_of({outlier, uncontended(), uncontended(), uncontended(), uncontended()}));
    CHECK(find(result, "ratio_to_bare_client").now.value == Approx(1.10));
    CHECK(result.worse() == 0);
    // Three runs of five were slower, and two as before: that is no news.
    const auto mixed = side_of(
        {uncontended(1.2), uncontended(), uncontended(1.2), uncontended(), uncontended(1.2)});
    CHECK(find(compare(base, mixed), "ratio_to_bare_client").now.value == Approx(1.32));
    CHECK(compare(base, mixed).worse() == 0);
}

TEST_CASE("compare: rows are matched by what they are known by, whatever the order") {
    auto few = uncontended();
    auto many = uncontended(2);
    few["waiters"] = 10;
    many["waiters"] = 1000;
    auto shared = uncontended(3);
    shared["lock"] = "shared_mutex";
    auto ten_permits = uncontended(4);
    auto three_permits = uncontended(5);
    ten_permits["lock"] = three_permits["lock"] = "semaphore";
    ten_permits["permits"] = 10;
    three_permits["permits"] = 3;
    const auto result = compare(side_of({few, many, shared, ten_permits, three_permits}),
                                side_of({three_permits, shared, ten_permits, many, few}));
    CHECK(result.figures.size() == 15);
    CHECK(result.worse() == 0);
    CHECK(result.only_in_base.empty());
}

TEST_CASE("compare: what is on one side only is told") {
    auto base = uncontended();
    base.erase("requests_per_acquire");
    const auto result = compare(side_of({base, cost(1, 1)}), side_of({uncontended()}));
    CHECK(result.only_in_base == std::vector<std::string>{"cost turnstile"});
    CHECK(result.only_in_new ==
          std::vector<std::string>{"uncontended turnstile sessions=1: requests_per_acquire"});
}

TEST_CASE("compare: no common row is an error that names the rows") {
    CHECK_THROWS_WITH(compare(side_of({uncontended()}), side_of({cost(1, 1)})),
                      Catch::Contains("uncontended turnstile") &&
                          Catch::Contains("cost turnstile"));
}
