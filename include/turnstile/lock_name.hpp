// SPDX-License-Identifier: BSL-1.0
// Makes a part of a lock path from any bytes.
#pragma once

#include <turnstile/detail/export.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace turnstile {

/// The most bytes that a result of `lock_name` has.
inline constexpr std::size_t longest_lock_name = 200;

/**
 * @brief Makes one part of a lock path of a key from outside, such as an order's number or a URL.
 *
 * Any bytes are a key. Different keys have different names, and one key has the same name in every
 * version and program: `"/locks/orders/" + lock_name(key)` is also what
 * `turnstile run /locks/orders --key KEY` locks.
 *
 * `A-Z a-z 0-9 - _ . ~` stay, and each other byte becomes `%` and two hexadecimal digits. The names
 * that ZooKeeper keeps for itself, the empty key, and names that would be longer than 200 bytes are
 * made in other ways: docs/reference.md, "Names from keys", has the rules byte for byte.
 */
TURNSTILE_API std::string lock_name(std::string_view key);

} // namespace turnstile
