// SPDX-License-Identifier: BSL-1.0
// What a session and its locks have done, as text.
#include <turnstile/metrics.hpp>

#include "support/file_text.hpp"
#include "support/pch.hpp"

#include <nlohmann/json.hpp>

#include <regex>

using namespace turnstile;
using namespace turnstile::test;
using namespace std::chrono_literals;

namespace {

lock_usage some_usage() {
    lock_usage used;
    used.acquires = 10;
    used.granted = 7;
    used.cancelled = 1;
    used.released = 4;
    used.lost = 1;
    used.wait.counts = {4, 2};
    used.wait.counts.back() = 1;
    used.wait.sum = 600s + 250us;
    return used;
}

session_usage some_risks() {
    session_usage used;
    used.risks = 3;
    used.locks = some_usage();
    return used;
}

std::vector<std::string> lines_with(const std::string& part, const std::string& text) {
    std::vector<std::string> found;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (line.find(part) != line.npos)
            found.push_back(line);
    return found;
}

using texts = std::vector<std::string>;

} // namespace

TEST_CASE("counters, gauges and histograms are written as OpenMetrics has them") {
    const auto text = metrics_text({{.usage = some_risks()}});
    CHECK(lines_with("turnstile_risks", text) ==
          texts{"# HELP turnstile_risks Times that held locks came to be at risk.",
                "# TYPE turnstile_risks counter", "turnstile_risks_total 3"});
    CHECK(lines_with("turnstile_waiting", text).back() == "turnstile_waiting 2");
    CHECK(lines_with("turnstile_held", text).back() == "turnstile_held 2");
    const auto waits = lines_with("turnstile_wait_seconds", text);
    REQUIRE(waits.size() == 3 + 20 + 2);
    CHECK(waits[1] == "# TYPE turnstile_wait_seconds histogram");
    CHECK(waits[2] == "# UNIT turnstile_wait_seconds seconds");
    CHECK(waits[3] == "turnstile_wait_seconds_bucket{le=\"0.0001\"} 4");
    CHECK(waits[4] == "turnstile_wait_seconds_bucket{le=\"0.00025\"} 6");
    CHECK(waits[15] == "turnstile_wait_seconds_bucket{le=\"1.0\"} 6");
    CHECK(waits[22] == "turnstile_wait_seconds_bucket{le=\"+Inf\"} 7");
    CHECK(waits[23] == "turnstile_wait_seconds_sum 600.00025");
    CHECK(waits[24] == "turnstile_wait_seconds_count 7");
    CHECK(text.find("turnstile_lock_") == text.npos); // no lock was named
    CHECK(text.ends_with("\n# EOF\n"));
}

TEST_CASE("the older format names a counter in full, and has neither unit nor end") {
    const auto text = metrics_text({{.usage = some_risks()}}, metrics_format::prometheus);
    CHECK(lines_with("turnstile_risks", text) ==
          texts{"# HELP turnstile_risks_total Times that held locks came to be at risk.",
                "# TYPE turnstile_risks_total counter", "turnstile_risks_total 3"});
    CHECK(lines_with("# UNIT", text).empty());
    CHECK(lines_with("# EOF", text).empty());
    CHECK(content_type(metrics_format::prometheus).starts_with("text/plain; version=0.0.4"));
}

TEST_CASE("the samples of several sessions and locks stand together, told apart by labels") {
    const session_metrics one{.usage = some_risks(),
                              .labels = {{"service", "a"}, {"zone", "1"}},
                              .locks = {{"/l", some_usage()}, {"/m", {}}}};
    const session_metrics other{.usage = {}, .labels = {{"service", "b"}}, .locks = {{"/l", {}}}};
    const auto text = metrics_text({one, other});
    CHECK(lines_with("turnstile_lost", text) ==
          texts{"# HELP turnstile_lost Locks that were lost.", "# TYPE turnstile_lost counter",
                "turnstile_lost_total{service=\"a\",zone=\"1\"} 1",
                "turnstile_lost_total{service=\"b\"} 0"});
    const auto locks = lines_with("turnstile_lock_lost", text);
    REQUIRE(locks.size() == 5);
    CHECK(locks[2] == "turnstile_lock_lost_total{service=\"a\",zone=\"1\",path=\"/l\"} 1");
    CHECK(locks[4] == "turnstile_lock_lost_total{service=\"b\",path=\"/l\"} 0");
    CHECK(lines_with("turnstile_lock_wait_seconds_bucket", text)[0] ==
          "turnstile_lock_wait_seconds_bucket{service=\"a\",zone=\"1\",path=\"/l\",le=\"0.0001\"} "
          "4");
}

TEST_CASE("values of labels are escaped, and names that cannot be are refused") {
    const auto text = metrics_text({{.usage = {}, .labels = {{"a", "x\"y\\z\nw"}}}});
    CHECK(lines_with("turnstile_held{", text) == texts{R"(turnstile_held{a="x\"y\\z\nw"} 0)"});
    for (const auto* const name : {"", "1a", "a-b", "a\"", "le", "path"})
        CHECK_THROWS_AS(metrics_text({{.usage = {}, .labels = {{name, "x"}}}}),
                        std::invalid_argument);
}

TEST_CASE("the dashboard for Grafana asks for metrics that are written") {
    const auto board = nlohmann::json::parse(file_text(TURNSTILE_DOCS "/grafana_dashboard.json"));
    const auto text = metrics_text({{.usage = {}, .labels = {{"a", "b"}}, .locks = {{"/l", {}}}}});
    std::set<std::string> asked;
    std::size_t queries = 0;
    for (const auto& panel : board.at("panels"))
        for (const auto& target : panel.at("targets")) {
            ++queries;
            const auto expression = target.at("expr").get<std::string>();
            const std::regex name("turnstile_[a-z_]+");
            for (std::sregex_iterator next(expression.begin(), expression.end(), name), end;
                 next != end; ++next)
                asked.insert(next->str());
            CHECK(target.at("datasource").at("uid") == "${datasource}");
        }
    CHECK(queries >= 10);
    for (const auto& each : asked) {
        INFO(each);
        CHECK(text.find('\n' + each + '{') != text.npos);
    }
    CHECK(board.at("templating").at("list").at(0).at("type") == "datasource");
}
