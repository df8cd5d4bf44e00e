// SPDX-License-Identifier: BSL-1.0
// What stands below the lock path of a semaphore: read as it was written, and nothing else.
#include "protocol/names/semaphore_names.hpp"

#include "support/pch.hpp"

using namespace turnstile::protocol;

TEST_CASE("a limit is read as it was written") {
    const auto limit = GENERATE(std::uint32_t{0}, std::uint32_t{3}, std::uint32_t{1000},
                                std::numeric_limits<std::uint32_t>::max());
    CHECK(parse_limit(limit_text(limit)) == limit);
}

TEST_CASE("further lines may follow a limit") {
    CHECK(parse_limit(limit_text(3) + "colour=blue\n") == 3);
}

TEST_CASE("what another program wrote is no limit") {
    const std::string heading = "turnstile-semaphore=1\n";
    const auto data = GENERATE_COPY(values<std::string>({
        "", "3", "limit=3\n", "turnstile-semaphore=2\nlimit=3\n", // of another form
        heading + "limit=\n",                                     // no number
        heading + "limit=x\n", heading + "limit=-1\n", heading + "limit= 3\n",
        heading + "limit=4294967296\n",                 // more than there can be
        heading + "limit=3", heading + "limit=3 of 4\n" // no whole line
    }));
    INFO(data);
    CHECK_FALSE(parse_limit(data));
}

TEST_CASE("the name of a permit is read as it was written") {
    const permit_name name{.tried = GENERATE(true, false),
                           .incarnation =
                               GENERATE(std::int64_t{7}, std::int64_t{0x7fffffffffffffff}),
                           .session = GENERATE(std::int64_t{0x101}, std::int64_t{-2}),
                           .attempt = 0x2a,
                           .sequence = 2147483646};
    CHECK(name.prefix().starts_with(name.tried ? "try-" : "take-"));
    CHECK(permit_name::parse(name.prefix() + "2147483646") == name);
}

TEST_CASE("two permits are one only where all of their names is the same") {
    const auto one = permit_name::parse("take-7-101-2a-lease-0000000004");
    REQUIRE(one);
    CHECK(permit_name::parse("take-07-0101-2a-lease-0000000004") == one);
    const auto other = GENERATE(as<std::string>{}, "try-7-101-2a-lease-0000000004",
                                "take-8-101-2a-lease-0000000004", "take-7-102-2a-lease-0000000004",
                                "take-7-101-2b-lease-0000000004", "take-7-101-2a-lease-0000000005");
    CHECK_FALSE(permit_name::parse(other) == one);
}

TEST_CASE("the form of a permit's name is that of docs/internals/protocol/semaphore.md") {
    const permit_name name{
        .tried = true, .incarnation = 0x1f, .session = 0x101, .attempt = 10, .sequence = 12};
    CHECK(name.prefix() == "try-1f-101-a-lease-");
    CHECK(permit_name::parse("try-1f-101-a-lease-0000000012") == name);
}

TEST_CASE("what another program made among the permits is no permit") {
    const auto text = GENERATE(
        as<std::string>{}, "", "lease-0000000004", "turn-7-lock-0000000004", // of another form
        "taken-7-101-2a-lease-0000000004", "try", "take-",                   // another word
        "take-x-101-2a-lease-0000000004", "take-7_101-2a-lease-0000000004",  // incarnation
        "take-7-x-2a-lease-0000000004", "take-7-101_2a-lease-0000000004",    // session
        "try-7-101-x-lease-0000000004", "try-7-101-2a-seat-0000000004",      // attempt
        "take-10000000000000000-101-2a-lease-0000000004",                    // too large
        "take-7-10000000000000000-2a-lease-0000000004",
        "take-7-101-10000000000000000-lease-0000000004", "take-7-101-2a-lease-",
        "take-7-101-2a-lease-4", // not ten digits
        "take-7-101-2a-lease-00000000004", "take-7-101-2a-lease-000000000x",
        "take-7-101-2a-lease--000000004", "take-7-101-2a-lease-9999999999");
    INFO(text);
    CHECK_FALSE(permit_name::parse(text));
}
