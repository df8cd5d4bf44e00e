// SPDX-License-Identifier: BSL-1.0
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
