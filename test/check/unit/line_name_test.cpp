// SPDX-License-Identifier: BSL-1.0
// The checker's own parser of names (line_name), alone and beside the product's. Both must make the
// same of names of each program that stands in line, and of damaged ones, in which a character is
// lost, changed or put in.
#include "check/line_name.hpp"

#include "protocol/names/ticket_name.hpp"
#include "support/pch.hpp"

using turnstile::check::line_name;
namespace protocol = turnstile::protocol;

namespace {

line_name parsed(std::string_view child) {
    CAPTURE(child);
    const auto name = line_name::parse(child);
    REQUIRE(name);
    return *name;
}

/// Whether both parsers make the same of that name.
bool agree(std::string_view child) {
    const auto checkers = line_name::parse(child);
    const auto products = protocol::parse_contender(child);
    const auto whole = protocol::ticket_name::parse(child); // of Turnstile's own names alone
    if (!checkers || !products)
        return !checkers && !products && !whole;
    const bool same_place = checkers->sequence == products->sequence &&
                            checkers->shared == (products->kind == protocol::ticket_kind::shared);
    const bool same_incarnation =
        checkers->incarnation.has_value() == whole.has_value() &&
        (!whole || *checkers->incarnation == static_cast<std::uint64_t>(whole->incarnation));
    return same_place && same_incarnation;
}

/// Beginnings of names: good ones of several programs, then others that nearly are.
const std::vector<std::string> stems{
    "turn-5-lock-",
    "open-5-lock-",
    "turn-0-lock-",
    "turn-10000086e-read-lock-",
    "turn-10000086e-down-read-lock-",
    "open-ffffffffffffffff-read-lock-",
    "turn-10000086e-__WRIT__",
    "open-ffffffffffffffff-__READ__",
    "_c_f1d8f2b9-3d0e-4b2e-9d15-9bd0f5a6a5a1-lock-", // Curator
    "_c_0011223344556677-lock-",                     // go-zookeeper
    "lock-",
    "0123456789abcdef0123456789abcdef__lock__", // Kazoo
    "0123456789abcdef0123456789abcdef__rlock__",
    "x-72057594037927936-", // the Java recipe
    "x--72057594037927936-",
    "x-0100a5e4b7c30001-", // the C recipe
    "x-ff00a5e4b7c3000F-",
    "turn-05-lock-",
    "turn-1A-lock-",
    "turn--lock-",
    "turn-lock-",
    "turn-read-lock-",
    "open-10000000000000000-lock-",
    "turn-5-write-lock-",
    "turn-5-lock-lock-",
    "turn-zz-read-lock-",
    "_c_0011-read-lock-",
    "_c_0011-__READ__",
    "_c_f1d8f2b9-3d0e-4b2e-9d15-9bd0f5a6a5a1-__WRIT__",
    "turn-05-__WRIT__",
    "turn-5__READ__",
    "turn-5-__lock__",
    "x-",
    "x---",
    "x-zz-",
    "node",
    "",
};

/// Sequence numbers: five good ones, then others that are too large, too short and the like.
const std::vector<std::string> endings{
    "0000000000", "0000000001", "0000000012",  "2147483646", "2147483647",  "2147483648",
    "4294967297", "9999999999", "-2147483648", "-000000001", "000000001",   "00000000001",
    "000000000a", "0x00000001", " 000000001",  "+000000001", "0000000001 ", "",
};

/// The name, cut at each place, and with one character lost, changed or put in there.
std::vector<std::string> damaged(const std::string& name) {
    constexpr std::string_view others = "-_x0fFgl \n\xff";
    std::vector<std::string> result;
    for (std::size_t at = 0; at <= name.size(); ++at) {
        result.push_back(name.substr(0, at));
        result.push_back(name.substr(at));
        if (at == name.size())
            continue;
        auto shorter = name;
        result.push_back(shorter.erase(at, 1));
        for (const char other : others) {
            auto changed = name;
            changed[at] = other;
            result.push_back(changed);
            result.push_back(name.substr(0, at) + other + name.substr(at));
        }
    }
    return result;
}

} // namespace

TEST_CASE("Turnstile's names say sequence, kind and incarnation") {
    CHECK(parsed("turn-1f-lock-0000000042") == line_name{42, false, 0x1f});
    CHECK(parsed("open-1f-lock-0000000042") == line_name{42, false, 0x1f});
    CHECK(parsed("turn-1f-read-lock-2147483647") == line_name{2147483647, true, 0x1f});
    CHECK(parsed("turn-1f-down-read-lock-0000000042") == line_name{42, true, 0x1f, true});
    CHECK(parsed("turn-1f-__WRIT__0000000042") == line_name{42, false, 0x1f});
    CHECK(parsed("open-1f-__READ__0000000042") == line_name{42, true, 0x1f});
    CHECK(parsed("turn-ffffffffffffffff-lock-0000000000").incarnation == ~std::uint64_t{0});
}

TEST_CASE("What is not ten digits of 31 bits, or of another shape, stands in no line") {
    const auto child = GENERATE(
        as<std::string>{}, "", "config", "0000000001", "lock0000000001", "turn-5-lock-000000001",
        "turn-5-lock--000000001", "turn-5-lock-2147483648", "turn-5-lock-000000000a",
        "_c_0011-__READ_0000000001", "x-0000000001", "x--0000000001", "x---0000000001",
        "x-zz-0000000001", "y-1-0000000001", "0123__lock_0000000001");
    CAPTURE(child);
    CHECK_FALSE(line_name::parse(child));
}

TEST_CASE("The checker and the product make the same of every name") {
    std::set<std::string> names;
    for (const auto& stem : stems) {
        for (const auto& ending : endings)
            names.insert(stem + ending);
        for (auto& name : damaged(stem + "0000000012"))
            names.insert(std::move(name));
    }
    CHECK(names.size() > 15'000);
    std::size_t in_line = 0;
    for (const auto& name : names) {
        in_line += line_name::parse(name) ? 1 : 0;
        if (!agree(name))
            FAIL_CHECK("they differ on \"" << name << '"');
    }
    CHECK(in_line > 5'000);
    CHECK(names.size() - in_line > 5'000);
}
