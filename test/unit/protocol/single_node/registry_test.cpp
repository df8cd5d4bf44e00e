// Which lock paths go together.
#include "unit/protocol/single_node/single_node_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

TEST_CASE("no lock path lies below another, of whatever kind") {
    contender_of_one f;
    f.holds();
    f.acquire(2, "/l/below");
    f.acquire(3, "/m/n");
    acquire_request above;
    above.path = "/m";
    above.single_node = true;
    f.machine.acquire(f.now, 4, above);
    CHECK(f.events() == texts{"failed 2 nested_path", "failed 4 nested_path"});
}
