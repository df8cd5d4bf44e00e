// SPDX-License-Identifier: BSL-1.0
// The limit of a semaphore, and permits of it.
#include "command/support/tool.hpp"
#include "support/pch.hpp"

#include <nlohmann/json.hpp>

using namespace turnstile::test;
using nlohmann::json;

namespace {

std::string told(const std::vector<std::string>& arguments, int code = 0) {
    tool one{arguments};
    CHECK(one.exit_code() == code);
    return one.output();
}

} // namespace

TEST_CASE("a semaphore is made, told, changed and taken away") {
    const auto path = fresh_path("limit");
    CHECK(told({"limit", path}) == path + ": no semaphore\n");
    CHECK(told({"limit", path, "2"}) == path + ": at most 2 at a time\n");
    CHECK(told({"limit", path}) == path + ": at most 2 at a time\n");
    CHECK(told({"limit", path, "5"}) == path + ": at most 5 at a time\n");
    const auto found = json::parse(told({"limit", "--json", path}));
    CHECK(found == json{{"path", path}, {"limit", 5}});
    CHECK(told({"limit", path, "0"}, 120).empty());
    CHECK(told({"limit", "--remove", path}) == path + ": the semaphore is removed\n");
    CHECK(told({"limit", "--remove", path}) == path + ": no semaphore\n");
    const auto none = json::parse(told({"limit", "--json", "--remove", path}));
    CHECK(none == json{{"path", path}, {"limit", nullptr}, {"removed", false}});
    (void)told({"limit", path, "2"});
    CHECK(json::parse(told({"limit", "--json", "--remove", path}))["removed"] == true);
    CHECK(json::parse(told({"limit", "--json", path}))["limit"].is_null());
}

TEST_CASE("so many permits are held at a time, and have no token") {
    const auto path = fresh_path("limit");
    (void)told({"limit", path, "3"});
    const std::string script = "echo token $TURNSTILE_FENCING_TOKEN.; echo pid $$; exec sleep 1000";
    tool two{run_script(path, script, {"--permits", "2"})};
    (void)two.number_after("pid ");
    CHECK(two.output().starts_with("token .\n"));
    CHECK(tool{run_script(path, "true", {"--permits", "1", "--no-wait"})}.exit_code() == 0);
    CHECK(tool{run_script(path, "true", {"--permits", "2", "--no-wait"})}.exit_code() == 122);
    tool many{run_script(path, "true", {"--permits", "4"})};
    CHECK(many.exit_code() == 124);
    CHECK(many.says("fewer permits"));
    tool removed{{"limit", "--remove", path}};
    CHECK(removed.exit_code() == 124);
    CHECK(removed.says("in use"));
    const auto shown = json::parse(told({"show", "--json", path}));
    CHECK(shown["limit"] == 3);
    CHECK(shown["holders"] == 2);
    CHECK(shown["line"][0]["mode"] == "permit");
    CHECK(told({"show", path}).starts_with(path + ": 2 of 3 permits held, 0 wait\n"));
    two.end();
}

TEST_CASE("a path has one kind of lock") {
    const auto path = fresh_path("limit");
    (void)told({"limit", path, "1"});
    tool other{run_script(path, "true")};
    CHECK(other.exit_code() == 124);
    CHECK(other.says("another kind of lock is at " + path));
}
