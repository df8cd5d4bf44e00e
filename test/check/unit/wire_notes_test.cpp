// SPDX-License-Identifier: BSL-1.0
// A proxy gathers its notes, and writes them by flush(). They can be read even if an exception ends
// the run before.
#include "support/pch.hpp"
#include "support/temp_folder.hpp"
#include "support/wire_notes.hpp"

using namespace turnstile::test;

TEST_CASE("Gathered notes outlive an exception") {
    const temp_folder folder{"turnstile-notes-"};
    try {
        wire_notes notes{folder.path(), "proxy-1"};
        notes.gone(7, 0x1a, "/l/x", "check");
        throw std::runtime_error{"the run ends early"};
    } catch (const std::runtime_error&) {
    }
    std::ifstream in{folder.path() / "proxy-1.jsonl"};
    std::string line;
    REQUIRE(std::getline(in, line));
    CHECK(line.find(R"("k":"gone","link":7,"session":"1a","path":"/l/x","by":"check")") !=
          std::string::npos);
}
