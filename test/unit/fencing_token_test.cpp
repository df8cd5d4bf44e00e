// Tokens and their strings sort alike, and strings read back.
#include <turnstile/fencing_token.hpp>

#include "support/pch.hpp"

#include <array>
#include <limits>
#include <sstream>

using turnstile::fencing_token;

namespace {

constexpr auto largest = std::numeric_limits<std::int64_t>::max();
constexpr std::array<std::int64_t, 9> rising{0,          9,         10,          255,    256,
                                             0xffffffff, 1LL << 32, largest - 1, largest};

} // namespace

TEST_CASE("the strings of fencing tokens sort as the tokens do") {
    for (const auto low : rising)
        for (const auto high : rising) {
            const fencing_token a{low};
            const fencing_token b{high};
            CHECK((a < b) == (low < high));
            CHECK((a == b) == (low == high));
            CHECK((a.str() < b.str()) == (low < high));
            CHECK(a.str().size() == b.str().size());
        }
}

TEST_CASE("a fencing token reads back from its string") {
    for (const auto value : rising) {
        const fencing_token token{value};
        CHECK(fencing_token::parse(token.str()) == token);
        CHECK(token.czxid() == value);
        std::ostringstream out;
        out << token;
        CHECK(out.str() == token.str());
    }
}

TEST_CASE("what is no fencing token's string is refused") {
    for (const auto* text : {"", "0", "00000000000000000", "000000000000000g", "+00000000000001",
                             "-000000000000001", " 000000000000001", "000000000000001 ",
                             "8000000000000000", "ffffffffffffffff", "0x00000000000001"})
        CHECK(fencing_token::parse(text) == std::nullopt);
}
