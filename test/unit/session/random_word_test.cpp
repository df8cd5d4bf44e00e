// SPDX-License-Identifier: BSL-1.0
#include "support/pch.hpp"

#include <turnstile/detail/pause.hpp>

TEST_CASE("a random word has 64 bits") {
    boost::asio::io_context context;
    std::uint64_t seen = 0;
    for (int i = 0; i < 64; ++i)
        seen |= turnstile::detail::random_word(context);
    CHECK(seen >> 32U != 0);
}
