// SPDX-License-Identifier: BSL-1.0
// Tokens and their strings sort alike, and strings read back.
#include <turnstile/fencing_token.hpp>

#include "support/pch.hpp"

using turnstile::fencing_token;

namespace {

constexpr auto largest = std::numeric_limits<std::uint64_t>::max();
constexpr std::array<std::uint64_t, 11> rising{
    0, 9, 10, 255, 256, 0xffffffff, 1ULL << 32, 1ULL << 63, (1ULL << 63) + 1, largest - 1, largest};

// Each pair of the values above, in rising order.
template <class Function>
void for_each_token(Function function) {
    for (const auto czxid : rising)
        for (const auto count : rising)
            function(czxid, count);
}

} // namespace

TEST_CASE("the strings of fencing tokens sort as the tokens do, by both integers") {
    std::optional<fencing_token> last;
    for_each_token([&](auto czxid, auto count) {
        const fencing_token token{czxid, count};
        if (last) {
            CHECK(*last < token);
            CHECK(last->str() < token.str());
        }
        CHECK(token == token);
        CHECK(token.str().size() == 33);
        last = token;
    });
    CHECK(fencing_token{1, largest} < fencing_token{2, 0});
    CHECK(fencing_token{1} == fencing_token{1, 0});
    CHECK(fencing_token{} == fencing_token{0, 0});
}

TEST_CASE("a fencing token reads back from its string") {
    for_each_token([](auto czxid, auto count) {
        const fencing_token token{czxid, count};
        CHECK(fencing_token::parse(token.str()) == token);
        CHECK(token.czxid() == czxid);
        CHECK(token.count() == count);
        std::ostringstream out;
        out << token;
        CHECK(out.str() == token.str());
    });
}

TEST_CASE("the string of a fencing token has a form that stays") {
    CHECK(fencing_token{0x1000003f2}.str() == "00000001000003f2-0000000000000000");
    CHECK(fencing_token{1, 0xabc}.str() == "0000000000000001-0000000000000abc");
}

TEST_CASE("what is no fencing token's string is refused") {
    const std::string good = "00000001000003f2-0000000000000000";
    REQUIRE(fencing_token::parse(good));
    for (const std::string& text :
         {std::string{}, std::string{"0"}, std::string{"00000001000003f2"}, good + '0', ' ' + good,
          good + ' ', good.substr(1), good.substr(0, 32), "-" + good.substr(1),
          std::string{"00000001000003F2-0000000000000000"},
          std::string{"00000001000003f2 0000000000000000"},
          std::string{"000000010000003f2-000000000000000"},
          std::string{"0000001000003f2-00000000000000000"},
          std::string{"+0000001000003f2-0000000000000000"},
          std::string{"00000001000003f2--000000000000000"},
          std::string{"0x000001000003f2-0000000000000000"},
          std::string{"00000001000003f2-000000000000000g"}})
        CHECK(fencing_token::parse(text) == std::nullopt);
}
