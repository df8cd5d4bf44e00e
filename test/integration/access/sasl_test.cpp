// SPDX-License-Identifier: BSL-1.0
// A server that wants SASL, which the C client does not speak, says so to each new session and ends
// it: whoever wanted it is told, and it is not tried for ever.
#include "integration/support/access_support.hpp"
#include "integration/support/log_record.hpp"

#include "support/frame_proxy.hpp"

using namespace turnstile;
using namespace turnstile::test;

TEST_CASE("a server that enforces SASL is told as refused authentication, and left alone") {
    zookeeper_server strict{
        {.system_properties = {
             "zookeeper.sessionRequireClientSASLAuth=true",
             "zookeeper.authProvider.1=org.apache.zookeeper.server.auth.SASLAuthenticationProvider",
         }}};
    frame_proxy proxy{strict.port()};
    log_record told;
    fixture f;
    auto options = options_for(proxy.address());
    options.identities = {{"digest", alice}};
    options.shortest_backoff = std::chrono::milliseconds{5};
    options.longest_backoff = std::chrono::milliseconds{20};
    options.log.sink = told.sink();
    session s{f.context, options};
    mutex lock{s, "/locks/sasl"};
    CHECK(result_of(f, [&](auto t) { s.connect(std::move(t)); }) == error::auth_failed);
    CHECK(result_of(f, [&](auto t) { lock.acquire(std::move(t)); }) == error::auth_failed);
    CHECK(result_of(f, [&](auto t) { lock.try_acquire(std::move(t)); }) == condition::denied);
    CHECK(s.state() == session_state::idle);
    CHECK(told.mentions("enforces an authentication"));
    CHECK(proxy.stats().connections == 3); // one for each who asked
}
