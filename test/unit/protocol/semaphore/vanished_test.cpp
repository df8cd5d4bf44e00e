// SPDX-License-Identifier: BSL-1.0
// The nodes of a semaphore go while an acquire needs them.
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

constexpr auto no_node = zookeeper_code::no_node;
constexpr auto bad_version = zookeeper_code::bad_version;

reply fails_at(std::size_t step, zookeeper_code code) {
    reply answer{.code = code};
    answer.results.resize(step + 1);
    answer.results[step].code = code;
    return answer;
}

} // namespace

TEST_CASE("a try that finds the limit changed goes on with the new one, as often as it holds") {
    user_of_permits f;
    f.connect();
    f.take(1);
    f.told_limit(3);
    SECTION("once") {
        f.reply(f.try_text(1), fails_at(0, bad_version));
        f.told_limit(4, 1);
        CHECK(f.open() == texts{f.try_text(2, 1, 1)});
    }
    SECTION("on and on") {
        for (std::uint64_t attempt = 1; f.told.events.empty() && attempt <= 100; ++attempt) {
            const auto version = static_cast<std::int32_t>(attempt);
            f.reply(f.try_text(attempt, 1, version - 1), fails_at(0, bad_version));
            if (f.told.events.empty())
                f.told_limit(3, version);
        }
        CHECK(f.events() == texts{"failed 1 path_unstable"});
        CHECK(f.open().empty());
    }
}

TEST_CASE("a try that finds the limit there and another node missing says so") {
    user_of_permits f;
    f.connect();
    f.take(1, 1, true, 3);
    f.told_limit(3);
    const auto half = fails_at(GENERATE(1U, 2U), no_node);
    f.reply(f.try_text(1), half);
    f.looks_again({{"get /s/limit", f.limit_reply(3)}});
    CHECK(f.events() == texts{"failed 1 wrong_kind"});
    f.take(2);
    f.told_limit(3); // the part may be there again
    f.tried(2, 0, 0);
    CHECK(f.events() == texts{"granted 2 token 200"});
}

TEST_CASE("an acquire whose queue alone was deleted rests, looks once more, and says so") {
    user_of_permits f;
    f.connect();
    f.take(1);
    f.told_limit(3);
    f.tried(1, 0, 3, 2);
    f.reply("delete " + in_permits(permit_text(true, 1, 2)), replies::ok());
    int looks = 0;
    const auto look = [&] {
        while (!f.open().empty() && f.told.events.empty() && ++looks < 100) {
            const auto next = f.open().front();
            if (next == "check /s/limit")
                f.reply(next, replies::ok());
            else if (next == "get /s/limit" || next == "watch /s/limit")
                f.told_limit(3, 0, next == "watch /s/limit");
            else
                f.reply(next, replies::no_node());
        }
    };
    look();
    CHECK(f.events().empty()); // the other parts may be going, too
    const auto before = looks;
    CHECK(before < 20);
    f.pass(2s);
    look();
    CHECK(f.events() == texts{"failed 1 wrong_kind"});
    CHECK(looks < before + 10);
}

TEST_CASE("a semaphore that comes and goes under an acquire ends it") {
    user_of_permits f;
    f.connect();
    f.take(1, 1, true, 3);
    for (int rounds = 0; rounds < 100 && f.told.events.empty(); ++rounds) {
        f.reply("get /s/limit", replies::no_node());
        if (!f.told.events.empty())
            break;
        f.reply("get /s", replies::folder(5));
        f.reply("list /s", {.stat = {.czxid = 5, .version = 2}});
        f.reply(f.open().front(), replies::node_exists());
    }
    CHECK(f.events() == texts{"failed 1 path_unstable"});
}
