// SPDX-License-Identifier: BSL-1.0
#include "result_files.hpp"

#include "support/pch.hpp"
#include "support/temp_folder.hpp"

using namespace turnstile::bench;
using turnstile::test::temp_folder;

namespace {

std::string file_with(const temp_folder& folder, const std::string& text) {
    const auto file = (folder.path() / "rows.json").string();
    std::ofstream(file) << text;
    return file;
}

} // namespace

TEST_CASE("result files: a file that cannot be used is named, with what to do") {
    const temp_folder folder("bench-files-");
    const auto missing = (folder.path() / "none.json").string();
    CHECK_THROWS_WITH(read_side({missing}), Catch::Contains("cannot read " + missing) &&
                                                Catch::Contains("No such file") &&
                                                Catch::Contains("--json FILE"));
    for (
        const auto* text :
        {"", "no JSON", "{}", "[]", "[1]", "[{}]",
         R"([{"scenario": 1, "strategy": "bare-client"}])",
         R"([{"scenario": "cost", "strategy": "bare-client", "p50_us": "many"}])",
         R"([{"scenario": "cost", "strategy": "bare-client", "p50_us": null}])",
         R"([{"scenario": "cost", "strategy": "bare-client", "p50_us": 1, "blocks": {"p50_us": 2}}])",
         R"([{"scenario": "cost", "strategy": "bare-client", "blocks": {"p50_us": [2]}}])"}) {
        INFO(text);
        const auto file = file_with(folder, text);
        CHECK_THROWS_WITH(read_side({file}),
                          Catch::Contains(file) && Catch::Contains("--json FILE"));
    }
}

TEST_CASE("result files: rows that are the same become runs, over files and within one") {
    const temp_folder folder("bench-files-");
    const auto file =
        file_with(folder, R"([{"scenario": "a", "strategy": "turnstile", "count": 7, "p50_us": 1},
                    {"scenario": "a", "strategy": "turnstile", "count": 8, "p50_us": 2,
                     "blocks": {"p50_us": [2, 3]}}])");
    const auto all = read_side({file, file});
    REQUIRE(all.size() == 1);
    const auto& times = all.at("a turnstile").at("p50_us");
    CHECK(times.runs == std::vector<double>{1, 2, 1, 2});
    CHECK(times.blocks == std::vector<double>{1.5, 2.5, 1.5, 2.5}); // laid around 2
}

TEST_CASE("result files: a row of a mutex is known as rows were before there were more locks") {
    const temp_folder folder("bench-files-");
    const auto file = file_with(
        folder, R"([{"scenario": "a", "strategy": "turnstile", "lock": "mutex", "p50_us": 1},
                    {"scenario": "a", "strategy": "turnstile", "lock": "shared", "p50_us": 2}])");
    const auto all = read_side({file});
    CHECK(all.size() == 2);
    CHECK(all.contains("a turnstile"));
    CHECK(all.contains("a turnstile lock=shared"));
}
