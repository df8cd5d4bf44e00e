// SPDX-License-Identifier: BSL-1.0
#include <turnstile/lock_name.hpp>

#include "zookeeper/sha1.hpp"

#include <cstdint>

namespace turnstile {

namespace {

// Names keep these characters. Each other byte becomes `%` and two digits.
constexpr std::string_view unchanged =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~";
constexpr std::string_view before_hash = "%sha1-";

std::string two_digits(std::uint8_t byte, std::string_view digits) {
    return {digits[byte >> 4U], digits[byte & 15U]};
}

// How many bytes of a long name stay before its hash: `most`, or less where that would cut `%` and
// its two digits.
std::size_t kept_before_hash(std::string_view name, std::size_t most) {
    const auto last = name.rfind('%', most - 1);
    return last != name.npos && last + 3 > most ? last : most;
}

} // namespace

std::string lock_name(std::string_view key) {
    if (key.empty())
        return "%empty";
    // ZooKeeper keeps these names for itself: so the dots and the `z` in them do not stay.
    const bool is_reserved = key == "." || key == ".." || key == "zookeeper";
    std::string name;
    for (const char each : key) {
        const bool stays = unchanged.find(each) != unchanged.npos;
        const bool changes = is_reserved && (each == '.' || each == 'z');
        if (stays && !changes)
            name += each;
        else
            name += '%' + two_digits(static_cast<std::uint8_t>(each), "0123456789ABCDEF");
    }
    if (name.size() <= longest_lock_name)
        return name;
    const auto hash = zookeeper::sha1(key);
    name.resize(kept_before_hash(name, longest_lock_name - before_hash.size() - 2 * hash.size()));
    name += before_hash;
    for (const auto each : hash)
        name += two_digits(each, "0123456789abcdef");
    return name;
}

} // namespace turnstile
