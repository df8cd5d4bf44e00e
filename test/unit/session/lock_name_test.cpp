// SPDX-License-Identifier: BSL-1.0
// Any bytes make one part of a lock path, and different ones different parts.
#include <turnstile/lock_name.hpp>

#include "protocol/names/lock_path.hpp"

#include "support/dice.hpp"
#include "support/pch.hpp"

using namespace std::string_literals;
using turnstile::lock_name;
using turnstile::longest_lock_name;

namespace {

std::string times(std::size_t count, std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < count; ++i)
        result += text;
    return result;
}

/// Of few different bytes, so that keys are near each other; now and then one that is too long.
std::string key_of(turnstile::test::dice& own) {
    static const auto bytes = "a.%/2Ee\xff\0-zs"s;
    std::string key;
    for (auto left = own.one_in(4) ? own.below(300) : own.below(6); left > 0; --left)
        key += bytes[own.below(bytes.size())];
    return own.one_in(8) ? lock_name(key) : key; // a name is a key, too
}

} // namespace

TEST_CASE("each key has the name that the docs say") {
    const std::map<std::string, std::string> names{
        {"", "%empty"},
        {"A-Za-z0-9_.~", "A-Za-z0-9_.~"},
        {"a/b c", "a%2Fb%20c"},
        {"100%", "100%25"},
        {"%2E", "%252E"},
        {"%empty", "%25empty"},
        {"\0\x7f"s, "%00%7F"},
        {"\xc3\xa4", "%C3%A4"},
        {"\xff", "%FF"},
        {".", "%2E"},
        {"..", "%2E%2E"},
        {"...", "..."},
        {"zookeeper", "%7Aookeeper"},
        {"zookeepers", "zookeepers"},
        {times(200, "x"), times(200, "x")},
        {times(201, "x"), times(154, "x") + "%sha1-4b18791347c9db92f62f44a2dfe9c51a9cd2b11d"},
        {times(66, "\xff") + "ab", times(66, "%FF") + "ab"},
        {times(67, "\xff"), times(51, "%FF") + "%sha1-95c2c426ea2da58727a796693bc6ddb431ce6640"},
        {'a' + times(67, "\xff"),
         'a' + times(51, "%FF") + "%sha1-1f44bf231b8f005bc06ae5b14b7fe4b9e5a0df0e"},
        {"ab" + times(67, "\xff"),
         "ab" + times(50, "%FF") + "%sha1-e634c68ef0f82b4ce1657c074dfbb8094ce2d40a"},
    };
    for (const auto& [key, name] : names) {
        CAPTURE(key);
        CHECK(lock_name(key) == name);
    }
}

TEST_CASE("different keys have different names, and each is one part of a path") {
    turnstile::test::dice own(1, "keys");
    std::map<std::string, std::string> keys; // by their names
    for (int i = 0; i < 50'000; ++i) {
        const auto key = key_of(own);
        const auto name = lock_name(key);
        CAPTURE(key, name);
        const auto [at, is_new] = keys.emplace(name, key);
        REQUIRE(at->second == key);
        REQUIRE(name.size() <= longest_lock_name);
        REQUIRE(name.find('/') == std::string::npos);
        REQUIRE(turnstile::protocol::is_valid_lock_path('/' + name));
    }
    CHECK(keys.size() > 20'000);
}
