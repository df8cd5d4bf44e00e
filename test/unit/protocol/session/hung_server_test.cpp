// A server that shakes hands and then says nothing, or carries out no write: its disk hangs.
#include "unit/protocol/machine_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

// Lets time pass; whenever the session asks for a connection it gets one, and nothing more.
void shake_hands_only(machine_fixture& f, duration time) {
    for (duration passed{}; passed < time; passed += 100ms) {
        f.pass(100ms);
        if (f.machine.phase() == session_phase::suspended)
            f.accept();
    }
}

} // namespace

TEST_CASE("a connect that is never answered fails in time") {
    machine_fixture f;
    f.machine.connect(f.now);
    f.accept();
    shake_hands_only(f, 9900ms);
    CHECK(f.told.connect_results.empty());
    shake_hands_only(f, 200ms);
    CHECK(f.told.connect_results == texts{"connect_timed_out"});
}

TEST_CASE("an acquire waits no longer than the limit for servers that carry out no write") {
    machine_fixture f;
    f.acquire(1);
    f.accept();
    shake_hands_only(f, 29s);
    CHECK(f.events().empty());
    shake_hands_only(f, 2s);
    CHECK(f.events() == texts{"failed 1 unreachable"});
}
