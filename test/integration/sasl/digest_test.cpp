// SPDX-License-Identifier: BSL-1.0
// SASL by password with real servers: who gets in, what is refused, and in which words.
#include "integration/support/sasl_support.hpp"
#include "support/byte_proxy.hpp"

using namespace turnstile;
using namespace turnstile::test;
using Catch::Matchers::Contains;

namespace {

void check_lock(fixture& f, const session_options& options) {
    session s{f.context, options};
    mutex lock{s, fresh_path("sasl")};
    auto held = acquire_now(f, lock);
    CHECK(held.fencing_token() != fencing_token{});
    release_now(f, held);
}

} // namespace

TEST_CASE("DIGEST-MD5: a lock is taken and given back") {
    fixture f;
    check_lock(f, sasl_session(alice()));
    check_lock(f, sasl_session(bob()));
}
