// SPDX-License-Identifier: BSL-1.0
// The bytes of ticket paths that one session may have at the server.
#include "protocol/wire/budget.hpp"

#include "support/pch.hpp"

using namespace turnstile::protocol;

TEST_CASE("a path without a ticket may use the whole budget") {
    budget bytes{800};
    CHECK(bytes.fits(800, false));
    CHECK_FALSE(bytes.fits(801, false));
    bytes.take(300);
    CHECK(bytes.fits(500, false));
    CHECK_FALSE(bytes.fits(501, false));
}

TEST_CASE("an eighth is kept from paths that have a ticket already") {
    budget bytes{800};
    CHECK(bytes.fits(700, true));
    CHECK_FALSE(bytes.fits(701, true));
    bytes.take(700);
    CHECK_FALSE(bytes.fits(1, true));
    CHECK(bytes.fits(100, false));
}

TEST_CASE("bytes that are given back can be taken again") {
    budget bytes{800};
    bytes.take(800);
    CHECK_FALSE(bytes.fits(1, false));
    bytes.give(100);
    CHECK(bytes.fits(100, false));
    CHECK_FALSE(bytes.fits(101, false));
    CHECK_FALSE(bytes.fits(100, true));
}

TEST_CASE("a ticket costs its path and four bytes of length") {
    CHECK(ticket_cost(0) == 4);
    CHECK(ticket_cost(30) == 34);
}
