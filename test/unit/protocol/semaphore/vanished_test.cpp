// SPDX-License-Identifier: BSL-1.0
// What somebody needs goes while it acquires: the limit, the line, its ticket, the one who makes.
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

#include <algorithm>

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

/// The next request is answered so that the limit is there, and never the queue.
void lose_queue(user_of_leases& f) {
    REQUIRE_FALSE(f.open().empty());
    const auto next = f.open().front();
    if (next.ends_with("/s/limit") && !next.starts_with("transact"))
        f.reply(next, {.stat = {.czxid = semaphore_incarnation}, .data = limit_text(3)});
    else if (next == "list /s")
        f.reply(next, replies::listing({"limit", "queue", "leases"}));
    else if (next.starts_with("transact"))
        f.reply(next, fails_at(1, zookeeper_code::no_node));
    else
        f.reply(next, replies::no_node());
}

} // namespace

TEST_CASE("a try that finds the limit changed goes on with the new one, as often as it holds") {
    user_of_leases f;
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

TEST_CASE("a semaphore that comes and goes under whoever needs it ends the acquire") {
    user_of_leases f;
    f.connect();
    f.take(1, 1, true, 3);
    f.told_limit(3);
    SECTION("a part is missing, and somebody else is faster to make it") {
        f.reply(f.try_text(1), fails_at(2, no_node));
        for (int rounds = 0; rounds < 100 && f.told.events.empty(); ++rounds) {
            f.told_limit(3);
            if (!f.told.events.empty())
                break;
            f.reply("list /s", replies::listing({"limit", "queue"}));
            f.reply(f.open().front(), replies::code(bad_version));
        }
    }
    SECTION("its queue is not there, time after time") {
        f.tried(1, 0, 3);
        f.reply("delete " + own_lease, replies::ok());
        for (int answers = 0; answers < 1000 && f.told.events.empty(); ++answers)
            lose_queue(f);
    }
    CHECK(f.events() == texts{"failed 1 path_unstable"});
}
