// SPDX-License-Identifier: BSL-1.0
// ZooKeeper's wire encoding, called jute, for tests that make requests and answers by hand.
#pragma once

#include <cstdint>
#include <string>

namespace turnstile::test {

/// Big-endian, with as many bytes as the type has.
template <class Integer>
std::string jute_number(Integer value) {
    std::string bytes;
    for (int shift = static_cast<int>(sizeof(value)) * 8 - 8; shift >= 0; shift -= 8)
        bytes += static_cast<char>(static_cast<std::uint64_t>(value) >> shift & 0xffU);
    return bytes;
}

inline std::string jute_int(std::int32_t value) { return jute_number(value); }
inline std::string jute_long(std::int64_t value) { return jute_number(value); }

/// A length of four bytes, and then the bytes: a string, a buffer, or a frame.
inline std::string jute_text(const std::string& value) {
    return jute_int(static_cast<std::int32_t>(value.size())) + value;
}

} // namespace turnstile::test
