// SPDX-License-Identifier: BSL-1.0
// The lines that a session says of itself: which session, which server, and how often.
#include "session/session_log.hpp"

#include "support/pch.hpp"

using namespace turnstile;
using namespace turnstile::detail;
using namespace std::chrono_literals;

namespace {

std::string words_of(const std::optional<session_log::line>& line) {
    return line ? line->text : "nothing";
}

const diagnostics zk1_refused{.server = "zk1:2181", .cause = "Connection refused"};

} // namespace

TEST_CASE("a line begins with the session and its server") {
    session_log log{{.level = log_level::debug}};
    CHECK(words_of(log.say(log_level::info, "hello")) == "no session: hello");
    CHECK(words_of(log.answered(0xab, "zk1:2181", 4s)) ==
          "session 0xab at zk1:2181: connected, session timeout 4000 ms");
    CHECK(words_of(log.answered(0xab, "zk1:2181", 4s)) == "nothing"); // said once
    CHECK(words_of(log.failed(zk1_refused)) ==
          "session 0xab: connection to zk1:2181 lost: Connection refused");
    CHECK(words_of(log.answered(0xab, "zk2:2181", 4s)) ==
          "session 0xab at zk2:2181: reconnected, session timeout 4000 ms");
    log.ended();
    CHECK(words_of(log.say(log_level::error, "lost /l")) == "no session: lost /l");
    CHECK(words_of(log.answered(0xcd, "zk2:2181", 4s)) ==
          "session 0xcd at zk2:2181: connected, session timeout 4000 ms");
}

TEST_CASE("a server that does not answer is named once for each cause, until it has answered") {
    session_log log{{.level = log_level::debug}};
    const auto first = log.failed(zk1_refused);
    REQUIRE(first);
    CHECK(first->level == log_level::warning);
    CHECK(first->text.find("zk1:2181 cannot be used: Connection refused") != std::string::npos);
    for (int i = 0; i < 3; ++i)
        CHECK(log.failed(zk1_refused)->level == log_level::debug);
    CHECK(log.failed({.server = "zk2:2181", .cause = "x"})->level == log_level::warning);
    log.answered(1, "zk1:2181", 4s);
    CHECK(log.failed(zk1_refused)->level == log_level::warning); // the connection was lost
    CHECK(log.failed(zk1_refused)->level == log_level::debug);   // that was said this minute
    const diagnostics other{.server = "zk1:2181", .cause = "it refused us"};
    CHECK(log.failed(other)->level == log_level::warning);
    CHECK(log.failed(zk1_refused)->level == log_level::debug);
    CHECK(log.failed(other)->level == log_level::debug);
}

TEST_CASE("a warning is said once a minute, and a loss each time") {
    session_log log{{.level = log_level::debug}};
    for (int i = 0; i < 3; ++i) {
        const auto expected = i == 0 ? log_level::warning : log_level::debug;
        log.answered(1, "zk1:2181", 4s);
        CHECK(log.failed(zk1_refused)->level == expected);
        CHECK(log.say(log_level::warning, "no answer")->level == expected);
        CHECK(log.say(log_level::error, "lost /l")->level == log_level::error);
        CHECK(log.say(log_level::info, "granted /l")->level == log_level::info);
    }
    session_log quiet{{.level = log_level::warning}};
    CHECK(quiet.say(log_level::warning, "no answer"));
    CHECK_FALSE(quiet.say(log_level::warning, "no answer"));
    CHECK(quiet.say(log_level::warning, "something else"));
}

TEST_CASE("what is less grave than the level is not said, but remembered") {
    session_log log{{.level = log_level::error}};
    CHECK_FALSE(log.failed(zk1_refused));
    REQUIRE(log.trouble());
    CHECK(log.trouble()->cause == "Connection refused");
    CHECK(log.server().empty());
    CHECK_FALSE(log.answered(1, "zk2:2181", 4s));
    CHECK_FALSE(log.trouble());
    CHECK(log.server() == "zk2:2181");
    CHECK(log.say(log_level::error, "x"));
    CHECK_FALSE(session_log{{.level = log_level::none}}.say(log_level::error, "x"));
}

TEST_CASE("why no server answers has one cause for each, and is forgotten with an answer") {
    session_log log{{.level = log_level::none}};
    CHECK_FALSE(log.trouble());
    (void)log.failed({.server = "zk2:2181", .cause = "no answer in time"});
    (void)log.failed(zk1_refused);
    (void)log.failed({.server = "zk3:2181", .cause = "Connection refused"});
    (void)log.failed({.server = "zk3:2181", .cause = "the server closed the connection"});
    const auto trouble = log.trouble();
    REQUIRE(trouble);
    CHECK(trouble->server == "zk3:2181");
    CHECK(trouble->cause == "the server closed the connection; zk1:2181: Connection refused; "
                            "zk2:2181: no answer in time");
    (void)log.answered(0xab, "zk2:2181", 4s);
    CHECK_FALSE(log.trouble());
    (void)log.failed(zk1_refused);
    CHECK(log.trouble()->cause == "Connection refused");
}

TEST_CASE("of several locks on one path that are lost at one instant the first is told") {
    session_log log{{.level = log_level::error}};
    const turnstile::lease_clock::time_point then{5s};
    const auto said = [&](const std::string& path, turnstile::lease_clock::time_point when) {
        const auto line = log.lost(log_level::error, path, "why", when);
        return line ? line->text : std::string();
    };
    CHECK(said("/a", then) == "no session: lost /a: why");
    CHECK(said("/b", then) == "no session: lost /b: why");
    CHECK(said("/a", then).empty());
    CHECK(said("/a", then + 1s) == "no session: lost /a: why");
    CHECK_FALSE(log.lost(log_level::info, "/c", "why", then)); // less grave than the level
}
