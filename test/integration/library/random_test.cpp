// SPDX-License-Identifier: BSL-1.0
// The C client reseeds the process's random numbers at each handle. A program that draws on them
// must not notice.
#include "integration/support/fault_rig.hpp"
#include "support/frame_proxy.hpp"
#include "support/pch.hpp"

#include <cstdlib>

using namespace turnstile;
using namespace turnstile::test;

TEST_CASE("sessions neither reseed nor use up the process's random numbers") {
    constexpr unsigned seed = 20261123;
    ::srandom(seed);
    const auto first = ::random();
    const auto second = ::random();
    ::srand48(seed);
    const auto first_fraction = ::drand48();
    const auto second_fraction = ::drand48();

    ::srandom(seed);
    ::srand48(seed);
    CHECK(::random() == first);
    CHECK(::drand48() == first_fraction);
    frame_proxy proxy{shared_server().port()};
    fixture f;
    session s{f.context, impatient(proxy.address())};
    contender user{s, fresh_path("random")};
    user.acquire();
    f.run_until([&] { return user.holds(); });
    const auto connections = proxy.stats().connections;
    proxy.cut_all();
    f.run_until([&] {
        return proxy.stats().connections > connections && s.state() == session_state::connected;
    });
    CHECK(::random() == second);
    CHECK(::drand48() == second_fraction);
}
