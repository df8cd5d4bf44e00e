// SPDX-License-Identifier: BSL-1.0
// A session of another process is ended, or kept: which server is asked when.
#include "protocol/session/session_takeover.hpp"

#include "support/pch.hpp"

using namespace turnstile::protocol;
using namespace std::chrono_literals;
using enum disconnect_reason;

namespace {

constexpr duration timeout = 8s;
constexpr duration at_once = 0ns;

struct takeover : session_takeover {
    explicit takeover(bool keeps, std::size_t servers = 3)
        : session_takeover(
              servers, timeout, keeps, [] { return 0; }, instant{}) {}

    /// The attempt ends this long after the begin of all.
    std::optional<duration> ends(disconnect_reason why, duration after = 0ns) {
        return on_disconnected(why, instant{} + after);
    }
};

} // namespace

TEST_CASE("a session is ended by a close, and by a server that knows it no more") {
    takeover f(false);
    CHECK(f.on_connected());
    CHECK(f.ends(closed) == at_once);
    CHECK(f.server() == 0); // it may still be said to be there
    CHECK(f.ends(expired) == std::nullopt);
    CHECK(f.result() == failure::none);
}

TEST_CASE("a close that is carried out again and again goes to the next server") {
    takeover f(false);
    CHECK(f.ends(closed) == at_once);
    CHECK(f.ends(closed) == at_once);
    CHECK(f.server() == 1);
}

TEST_CASE("a takeover tries servers in turn, with more time and a pause after each round") {
    takeover f(false);
    CHECK(f.patience() == 500ms);
    CHECK(f.ends(lost) == at_once);
    CHECK(f.ends(lost) == at_once);
    CHECK(f.server() == 2);
    CHECK(f.patience() == 500ms);
    CHECK(f.ends(lost) == 10ms); // half of 20 ms: no randomness here
    CHECK(f.server() == 0);
    CHECK(f.patience() == 1s);
    for (int i = 0; i < 6; ++i)
        (void)f.ends(lost);
    CHECK(f.patience() == 2s); // a quarter of the timeout at most
}

TEST_CASE("another address of a server, or a new ticket for it, is no reason to leave it") {
    takeover f(false);
    CHECK(f.ends(one_address) == at_once);
    CHECK(f.ends(refused_once) == at_once);
    CHECK(f.server() == 0);
}

TEST_CASE("the end of a session is given up after two timeouts") {
    takeover f(false);
    CHECK(f.ends(lost, 2 * timeout - 1ns).has_value());
    CHECK(f.ends(lost, 2 * timeout) == std::nullopt);
    CHECK(f.result() == failure::unreachable);
}

TEST_CASE("a server that lets no connection take a session over ends the takeover") {
    takeover f(GENERATE(false, true));
    CHECK(f.ends(not_restored) == std::nullopt);
    CHECK(f.result() == failure::unreachable);
}

TEST_CASE("options that cannot be used end a takeover at its first attempt alone") {
    takeover f(false);
    SECTION("at first") {
        CHECK(f.ends(unusable) == std::nullopt);
        CHECK(f.result() == failure::bad_options);
    }
    SECTION("later, when a file may just be renewed") {
        CHECK(f.ends(lost) == at_once);
        CHECK(f.ends(unusable) == at_once);
    }
}

TEST_CASE("a session is kept by a connection each quarter of its timeout, without an end") {
    takeover f(true);
    CHECK(f.ends(lost) == at_once);
    CHECK_FALSE(f.on_connected());
    CHECK(f.ends(lost, 100 * timeout) == timeout / 4);
    CHECK(f.server() == 1); // which has answered
    CHECK(f.ends(lost, 200 * timeout) == at_once);
    CHECK(f.ends(lost, 200 * timeout) == at_once);
    CHECK(f.ends(lost, 200 * timeout) == 10ms); // the round is a new one
}

TEST_CASE("a session that is to be kept, and is gone, ends the takeover") {
    takeover f(true);
    CHECK(f.ends(expired) == std::nullopt);
    CHECK(f.result() == failure::none);
}
