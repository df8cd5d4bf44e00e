// SPDX-License-Identifier: BSL-1.0
// A part of a lock path, of any bytes.
#pragma once

#include <turnstile/detail/export.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace turnstile {

/// No result of `lock_name` is longer, in bytes.
inline constexpr std::size_t longest_lock_name = 200;

/**
 * @brief Makes one part of a lock path of a key from outside, such as an order's number or a URL.
 *
 * Any bytes are a key. Different keys have different names, and one key has the same name in every
 * version and program: `"/locks/orders/" + lock_name(key)` is also what
 * `turnstile run /locks/orders --key KEY` locks.
 *
 * 1. `A-Z a-z 0-9 - _ . ~` stay. Each other byte becomes `%` and two hexadecimal digits in
 *    capitals; so do `%` and `/`, and each byte above 0x7F.
 * 2. `.` is `%2E`, `..` is `%2E%2E`, and `zookeeper` is `%7Aookeeper`: ZooKeeper keeps these names
 *    for itself.
 * 3. The empty key is `%empty`.
 * 4. What is longer than 200 bytes then is cut to its first 154 bytes, or one or two fewer where
 *    that would cut through a `%XX`. Behind it come `%sha1-` and the SHA-1 of the key in 40
 *    hexadecimal digits in small letters.
 *
 * No short key has a name by 3 or 4. Two long keys of one name are as hard to find as a collision
 * of SHA-1, and would wait for each other, no more.
 */
TURNSTILE_API std::string lock_name(std::string_view key);

} // namespace turnstile
