// SPDX-License-Identifier: BSL-1.0
// What a server's `dump` says of one session.
#include "support/pch.hpp"
#include "support/server_view.hpp"

using turnstile::test::word_on_session;

namespace {

constexpr std::int64_t id = 0x100000a;

// `counted` sessions are alive; `listed` are the lines of those that have a deadline.
std::string dump_of(int counted, const std::string& listed, const std::string& nodes = {}) {
    return "SessionTracker dump:\nSession Sets (1)/(" + std::to_string(counted) +
           "):\n2 expire at Mon Nov 23 13:47:05 UTC 2026:\n" + listed +
           "ephemeral nodes dump:\nSessions with Ephemerals (1):\n" + nodes +
           "Connections dump:\nConnections Sets (1)/(1):\n";
}

} // namespace

TEST_CASE("a session is over when it is neither listed nor counted") {
    CHECK(word_on_session(dump_of(1, "\t0x100000b\n"), id).empty());
    CHECK(word_on_session(dump_of(2, "\t0x100000a\n\t0x100000b\n"), id) ==
          "2 expire at Mon Nov 23 13:47:05 UTC 2026: / \t0x100000a\n");
}

TEST_CASE("a session that is counted and not listed may be any one") {
    CHECK_FALSE(word_on_session(dump_of(2, "\t0x100000b\n"), id).empty());
    // The other one's deadline is put off just now.
    CHECK_FALSE(word_on_session(dump_of(2, "\t0x100000b\n\t0x100000b\n"), id).empty());
}

TEST_CASE("an answer that breaks off says nothing") {
    const auto whole = dump_of(1, "\t0x100000b\n");
    for (const auto* const part : {"Session Sets", "ephemeral", "Connections Sets"})
        CHECK_FALSE(word_on_session(whole.substr(0, whole.find(part)), id).empty());
    CHECK_THROWS_AS(
        word_on_session("This ZooKeeper instance is not currently serving requests", id),
        std::runtime_error);
}
