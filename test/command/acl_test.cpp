// SPDX-License-Identifier: BSL-1.0
// Who may use the nodes that the command makes.
#include "command/support/lock_path.hpp"
#include "command/support/tool.hpp"
#include "support/foreign_client.hpp"
#include "support/frame_proxy.hpp"
#include "support/pch.hpp"
#include "support/temp_folder.hpp"

#include <fstream>

using namespace turnstile::test;

namespace {

std::vector<node_right> rights_of(const std::string& path) {
    foreign_client other{shared_server().address()};
    std::vector<node_right> result;
    REQUIRE(other.get_acl(path, &result) == 0);
    return result;
}

} // namespace

TEST_CASE("lock paths are made with the rights that are asked for") {
    const temp_folder folder{"turnstile-acl-"};
    const auto file = (folder.path() / "identities").string();
    std::ofstream{file} << "digest alice:secret\n";
    const auto open = fresh_path("acl");
    CHECK(tool{run_script(open, "true", {"--acl", "open"})}.exit_code() == 0);
    CHECK(rights_of(open).at(0).id == "anyone");
    const auto closed = fresh_path("acl");
    const std::vector<std::string> own{"--auth-file", file, "--acl", "creator_all"};
    CHECK(tool{run_script(closed, "true", own)}.exit_code() == 0);
    tool stranger{run_script(closed, "true", {"--no-wait"})};
    CHECK(stranger.exit_code() == 124);
    CHECK(stranger.says(" at " + closed + '\n'));
    CHECK(tool{run_script(closed, "true", own)}.exit_code() == 0);
    const auto listed = fresh_path("acl");
    CHECK(tool{{"limit", "--acl", "world:anyone:crdw,ip:10.0.0.0/8:a", listed, "2"}}.exit_code() ==
          0);
    CHECK(rights_of(listed).size() == 2);
}

TEST_CASE("a path at which others have more rights than are asked for is told of") {
    const temp_folder folder{"turnstile-acl-"};
    const auto file = (folder.path() / "identities").string();
    std::ofstream{file} << "digest alice:secret\n";
    foreign_client other{shared_server().address()};
    const std::vector<std::string> own{"--auth-file", file, "--acl", "creator_all"};
    for (const bool more : {true, false}) {
        CAPTURE(more);
        const auto path = fresh_path("acl");
        if (more)
            make_lock_path(other, path);
        const auto with_own = [&](std::vector<std::string> arguments) {
            arguments.insert(arguments.begin() + 1, own.begin(), own.end());
            return tool{arguments};
        };
        const auto words = "others have rights at " + path;
        auto ran = with_own({"run", path, "--", "true"});
        CHECK(ran.exit_code() == 0);
        CHECK(ran.says(words) == more);
        auto verbose = with_own({"run", "-v", path, "--", "true"});
        CHECK(verbose.exit_code() == 0);
        CHECK(verbose.says(words) == more);
        auto looked = with_own({"doctor", path});
        looked.exit_code();
        CHECK((looked.output().find(words) != std::string::npos) == more);
        auto limited = with_own({"limit", path, "3"});
        CHECK(limited.exit_code() == 0);
        CHECK(limited.says(words) == more);
    }
}

TEST_CASE("rights that cannot be are refused with the part that is wrong") {
    const auto path = fresh_path("acl");
    const std::vector<std::pair<std::string, std::string>> all{
        {"closed", "'closed' is no entry"},
        {"world:anyone:crdw,", "'' is no entry"},
        {"world:anyone:crx", "'x' is no right"},
        {"world:anyone:r", "--acl: acl.entries together do not give create"},
        {"creator_all", "--acl creator_all needs an identity"}};
    for (const auto& [text, what] : all) {
        CAPTURE(text);
        tool one{run_script(path, "true", {"--acl", text})};
        CHECK(one.exit_code() == 120);
        CHECK(one.says(what));
    }
    CHECK(tickets(path).empty());
}

TEST_CASE("a question about rights that is not answered outlasts neither --wait nor a signal") {
    const std::string asked = GENERATE("before the wait", "after a refusal", "until a signal");
    const temp_folder folder{"turnstile-acl-"};
    const auto file = (folder.path() / "identities").string();
    std::ofstream{file} << "digest alice:secret\n";
    foreign_client other{shared_server().address()};
    frame_proxy proxy{shared_server().port()};
    const auto parent = fresh_path("acl");
    const bool refused = asked != "before the wait";
    make_lock_path(other, parent, refused ? 31 & ~4 : 31);
    const auto path = refused ? parent + "/inner" : parent;
    const auto rule = proxy.add_rule({.op = op::multi,
                                      .path = "turnstile-access-probe",
                                      .times = 0,
                                      .action = action::black_hole});
    std::vector<std::string> options{"--wait", "1s"};
    if (!refused)
        options.insert(options.end(), {"--auth-file", file, "--acl", "creator_all"});
    tool one{run_script(path, "echo ran", options), {.servers = proxy.address()}};
    REQUIRE(proxy.wait_until_hit(rule));
    if (asked == "until a signal") {
        one.end();
        return;
    }
    const int code = one.exit_code();
    CAPTURE(asked, code, one.said());
    CHECK((refused ? code == 124 : code == 121 || code == 122));
    CHECK(one.says("denies the right CREATE at " + path + '\n') == refused);
    CHECK(one.output().empty());
}
