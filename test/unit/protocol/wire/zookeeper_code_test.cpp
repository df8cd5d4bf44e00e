// SPDX-License-Identifier: BSL-1.0
// What a result code proves.
#include "protocol/wire/zookeeper_code.hpp"

#include "support/pch.hpp"

using namespace turnstile::protocol;

TEST_CASE("a code proves a commit, or a refusal, or leaves the outcome unknown") {
    using enum zookeeper_code;
    struct meaning {
        zookeeper_code code;
        bool answered;
        bool unknown;
        bool refused;
    };
    const auto each = GENERATE(values<meaning>({
        {ok, true, false, false},
        {no_node, true, false, false},
        {no_auth, true, false, true},
        {bad_version, true, false, true},
        {node_exists, true, false, true},
        {not_empty, true, false, true},
        {connection_loss, false, true, false},
        {operation_timeout, false, true, false},
        {runtime_inconsistency, false, true, false},
        {system_error, false, true, false},
        {closing, false, true, false},
        {session_moved, false, true, false},
        {session_expired, false, true, false},
        {invalid_state, false, true, false},
        {auth_failed, false, true, false},
        {throttled, false, false, true},
        {marshalling_error, false, false, true},
        {unimplemented, false, false, true},
    }));
    CAPTURE(static_cast<int>(each.code));
    CHECK(answered(each.code) == each.answered);
    CHECK(outcome_unknown(each.code) == each.unknown);
    CHECK(refused(each.code) == each.refused);
}
