// SPDX-License-Identifier: BSL-1.0
// What the command does where its output cannot be written.
#include "command/support/lock_path.hpp"
#include "command/support/tool.hpp"
#include "support/foreign_client.hpp"
#include "support/pch.hpp"

using namespace turnstile::test;

TEST_CASE("an output that cannot be written is a failure, whatever the command") {
    const auto path = fresh_path("output");
    foreign_client other{shared_server().address()};
    make_lock_path(other, path);
    REQUIRE(other.create(path + "/f00d__lock__", "", create_mode::ephemeral_sequential) == 0);
    const auto pool = fresh_path("output");
    const std::vector<std::vector<std::string>> all{{"show", path},
                                                    {"show", "--json", path},
                                                    {"ls", path},
                                                    {"ls", "--json", path},
                                                    {"watch", path},
                                                    {"watch", "--json", path},
                                                    {"limit", pool},
                                                    {"limit", "--json", pool},
                                                    {"break", "--yes", path},
                                                    {"doctor", path},
                                                    {"doctor", "--json", path},
                                                    {"completion", "bash"},
                                                    {"manual"},
                                                    {"version"},
                                                    {"--version"},
                                                    {"--help"},
                                                    {"help", "run"}};
    const auto* const where = GENERATE(">/dev/full", ">&-");
    CAPTURE(where);
    for (const auto& arguments : all) {
        CAPTURE(arguments);
        tool one{arguments, {.before = {"sh", "-c", std::string{"exec \"$@\" "} + where, "sh"}}};
        CHECK(one.exit_code() == 125);
        CHECK(one.says("turnstile: write error: "));
    }
}
