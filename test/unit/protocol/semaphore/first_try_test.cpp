// First in line, and a lease has just become free: it is tried beside the ticket.
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

#include <algorithm>

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

struct first_of_line : user_of_leases {
    std::uint32_t wished = 1;

    /// Stands first, and has seen that all three leases are taken.
    explicit first_of_line(std::uint32_t count = 1) : wished(count) {
        is_first(count);
        listed({others_lease(false, 0), others_lease(false, 1), others_lease(false, 2)}, 4);
        REQUIRE(open().empty());
    }
    std::string tries() const { return first_try_text(2, 4, wished); }
    /// The transaction was carried out where so many leases were.
    void tried_beside(std::int32_t leases, std::int64_t incarnation = semaphore_incarnation) {
        turnstile::protocol::reply answer;
        answer.results = {
            {}, {.stat = {.czxid = incarnation, .mzxid = 300, .children = leases}}, {}};
        for (std::uint32_t i = 0; i < wished; ++i)
            answer.results.push_back(
                {.path = in_leases(lease_text(true, 2, 5 + static_cast<std::int32_t>(i)))});
        reply(tries(), answer);
    }
    std::string lease() const { return in_leases(lease_text(true, 2, 5)); }
};

} // namespace

TEST_CASE("whoever is first tries a lease that became free, and passes its place on") {
    first_of_line f;
    f.leases_change();
    CHECK(f.open() == texts{f.tries()});
    f.tried_beside(2);
    CHECK(f.events() == texts{"granted 1 token 300"});
    CHECK(f.open() == texts{"release " + place(4)});
    f.release(1);
    CHECK(std::ranges::count(f.open(), "delete " + f.lease()) == 1);
}

TEST_CASE("what the first in line tried in vain goes, and it looks") {
    first_of_line f;
    f.leases_change();
    f.tried_beside(3);
    CHECK(f.events().empty());
    CHECK(f.open() == texts{"delete " + f.lease(), "list /s/leases"});
    f.reply("delete " + f.lease(), replies::ok());
    f.listed({others_lease(false, 0), others_lease(false, 1)}, 6);
    CHECK(f.open() == texts{f.take_text(3, 4)});
}

TEST_CASE("leases of another incarnation are not the first one's") {
    first_of_line f;
    f.leases_change();
    f.tried_beside(0, 8);
    CHECK(f.events().empty());
    CHECK(f.open() == texts{"delete " + f.lease(), "list /s/leases"});
}

TEST_CASE("whoever needs more than one lease that became free looks first") {
    first_of_line f{2};
    f.leases_change();
    CHECK(f.open() == texts{"list /s/leases"});
    f.listed({others_lease(false, 1), others_lease(false, 2)}, 4);
    CHECK(f.open().empty());
    f.leases_change();
    CHECK(f.open() == texts{f.tries()});
    f.tried_beside(1);
    CHECK(f.events() == texts{"granted 1 token 300"});
}

TEST_CASE("a change that comes while the first in line looks is looked at again") {
    user_of_leases f;
    f.is_first(1);
    f.leases_change();
    CHECK(f.open() == texts{"list /s/leases"});
}

TEST_CASE("a refusal of what the first in line tries is told by its look") {
    first_of_line f;
    f.leases_change();
    const auto code = GENERATE(zookeeper_code::bad_version, zookeeper_code::no_auth,
                               zookeeper_code::throttled, zookeeper_code::no_node);
    f.reply(f.tries(), replies::code(code));
    CHECK(f.events().empty());
    CHECK(f.open() == texts{"list /s/leases"});
}

TEST_CASE("who tries in vain does not wait behind a lease that its session may not delete") {
    user_of_leases f;
    f.holds();
    f.take(2);
    f.tried(2, 0, 3, 3);
    f.reply("delete " + in_leases(lease_text(true, 2, 3)), replies::ok());
    f.reply(enqueues, replies::placed(place(4), 250, 0, semaphore_incarnation));
    f.told_limit(3, 0, true);
    f.listed({lease_text(true, 1, 0), others_lease(false, 1), others_lease(false, 2)}, 4);
    f.release(1);
    f.leases_change();
    f.reply("delete " + own_lease, replies::no_auth());
    REQUIRE(f.events() == texts{"released 1 release_denied"});
    f.reply(user_of_leases::first_try_text(3, 4), replies::code(zookeeper_code::bad_version));
    CHECK(f.events() == texts{"failed 2 release_denied"});
}

TEST_CASE("a lost answer leaves the first in line where it stood, and its leases are swept") {
    first_of_line f;
    f.leases_change();
    f.cut();
    f.reconnect();
    bool swept = false;
    for (int answers = 0; answers < 20 && !f.open().empty(); ++answers) {
        const auto next = f.open().front();
        if (next == "list /s/leases") {
            f.listed({lease_text(true, 2, 5), others_lease(false, 0), others_lease(false, 1),
                      others_lease(false, 2)},
                     6);
        } else {
            swept |= next == "delete " + f.lease();
            f.reply(next, next == "watch /s/limit" ? reply{.stat = {.czxid = semaphore_incarnation},
                                                           .data = limit_text(3)}
                          : next.starts_with("watch ") ? replies::node(250, our_session)
                                                       : replies::ok());
        }
    }
    CHECK(swept);
    CHECK(f.events().empty());
}

TEST_CASE("a caller who leaves while the first in line tries gets nothing, and leaves nothing") {
    first_of_line f;
    f.leases_change();
    f.cancel(1);
    CHECK(f.events() == texts{"failed 1 cancelled"});
    SECTION("the try was carried out") {
        f.tried_beside(2);
        CHECK(f.open() == texts{"delete " + f.lease(), "delete " + place(4)});
    }
    SECTION("it was refused") {
        f.reply(f.tries(), replies::code(zookeeper_code::throttled));
        CHECK(f.open() == texts{"delete " + place(4)});
    }
    CHECK(f.events().empty());
}

TEST_CASE("whoever lost its ticket while it tried stands in line anew, and holds nothing") {
    first_of_line f;
    f.pass(2s);
    while (!f.open().empty()) {
        const auto next = f.open().front();
        f.reply(next, next.starts_with("watch ") ? replies::node(250, our_session) : replies::ok());
    }
    f.leases_change();
    f.deleted(place(4));
    f.tried_beside(2);
    CHECK(f.events().empty());
    CHECK(std::ranges::count_if(
              f.open(), [](const std::string& text) { return text.starts_with(enqueues); }) == 1);
    CHECK(std::ranges::count(f.open(), "list /s/leases") == 1); // what it made belongs to nobody
}

TEST_CASE("whoever tries while all others start anew looks, and starts anew as well") {
    first_of_line f;
    f.deleted("/s/limit");
    f.leases_change();
    f.reply("watch /s/limit", replies::no_node());
    f.reply(f.tries(), replies::no_node());
    f.reply("watch /s/limit", replies::no_node());
    CHECK(f.open() == texts{"delete " + place(4), proves_limit, "get /s/limit"});
}
