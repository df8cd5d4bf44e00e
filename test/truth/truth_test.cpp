// SPDX-License-Identifier: BSL-1.0
// The model is held against a real server: the same requests, drawn from a seed, are answered the
// same, and each session hears the same events. turnstile-truth --seed N shows one script.
#include "truth_run.hpp"

#include "comparison.hpp"

#include "support/pch.hpp"
#include "support/zookeeper_server.hpp"

using namespace turnstile::test;

namespace {

zookeeper_server& server() {
    static zookeeper_server one{{.max_session_timeout_ms = 40'000}};
    return one;
}

void hold_against_truth(std::uint64_t first, std::uint64_t last, bool patient) {
    std::size_t answers = 0;
    for (auto seed = first; seed <= last; ++seed) {
        const auto run = run_against_truth(server().address(), seed, patient);
        answers += run.answers;
        if (!run.difference)
            continue;
        for (const auto& line : run.story)
            UNSCOPED_INFO(line);
        FAIL("seed " << seed << ", step " << run.steps << ": " << *run.difference);
    }
    CHECK(answers > (last - first) * 50); // it was asked
}

} // namespace

TEST_CASE("the model answers as a real server does, and tells the same events") {
    hold_against_truth(1, 40, false);
}

TEST_CASE("the model ends a session that is left to expire as a real server does") {
    hold_against_truth(1, 2, true);
}

TEST_CASE("numbers are paired one to one, and transactions in order") {
    pairing sessions{pairing::order::any};
    CHECK(sessions.agree(70, 2));
    CHECK(sessions.agree(60, 5));
    CHECK(sessions.agree(70, 2));
    CHECK_FALSE(sessions.agree(70, 5));
    pairing transactions{pairing::order::kept};
    CHECK(transactions.agree(70, 2));
    CHECK(transactions.agree(90, 5));
    CHECK(transactions.agree(80, 3));
    CHECK_FALSE(transactions.agree(85, 6));
    CHECK_FALSE(transactions.agree(0, 1));
}
