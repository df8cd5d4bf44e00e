// SPDX-License-Identifier: BSL-1.0
// Identities as the scheme `digest` writes them into an ACL.
#include "zookeeper/digest.hpp"

#include "support/pch.hpp"

using namespace turnstile::zookeeper;

TEST_CASE("a digest id is what the server makes of user and password") {
    // From ZooKeeper's own documentation, tests and DigestAuthenticationProvider's main().
    CHECK(digest_id("super:admin") == "super:xQJmxLMiHGwaqBvst5y6rkB6HQs=");
    CHECK(digest_id("super:test") == "super:D/InIHSb7yEEbrWz8b9l71RjZJU=");
    CHECK(digest_id("turnstile:turnstile") == "turnstile:Zux4vhXTtSTr2Gnex/TzoKI8F1c=");
    // By `printf %s ... | openssl dgst -binary -sha1 | base64`.
    CHECK(digest_id("a:") == "a:faqErSBWcv9/lZW1ERCcDsnNQLg=");
    CHECK(digest_id("user:pass:with:colons") == "user:DpsYo898LgpAU5H7pDG9EBaya+Q=");
    CHECK(digest_id("u:" + std::string(1000, 'x')) == "u:Fo7uMUvBec3nFpL2S9XbEPtgE2o=");
}

TEST_CASE("what has no user and password has no digest id: it would be its own user, readable") {
    CHECK(digest_id("").empty());
    CHECK(digest_id("secret").empty());
    CHECK(digest_id(":secret").empty());
}

TEST_CASE("a digest id is told from a password") {
    CHECK(is_digest_id("turnstile:Zux4vhXTtSTr2Gnex/TzoKI8F1c="));
    CHECK(is_digest_id("u:AAAAAAAAAAAAAAAAAAAAAAAAAAA="));
    const auto id = GENERATE(as<std::string>{}, "", "user", "user:", "user:password",
                             ":Zux4vhXTtSTr2Gnex/TzoKI8F1c=", "u:Zux4vhXTtSTr2Gnex/TzoKI8F1c",
                             "u:Zux4vhXTtSTr2Gnex/TzoKI8F1c==", "u:Zux4vhXTtSTr2Gnex/TzoKI8F1cA",
                             "u:Zux4vhXTtSTr2Gnex/TzoKI8F1==", "u:Zux4vhXTtSTr2Gnex TzoKI8F1c=");
    CAPTURE(id);
    CHECK_FALSE(is_digest_id(id));
}
