// SPDX-License-Identifier: BSL-1.0
// SHA-1, for digests of identities and for long lock names.
#pragma once

#include <boost/uuid/detail/sha1.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string.h> // explicit_bzero
#include <string_view>

namespace turnstile::zookeeper {

using sha1_hash = std::array<std::uint8_t, 20>;

/// Returns the hash of the text, and leaves no copy of the text in memory: it may be a secret.
inline sha1_hash sha1(std::string_view text) {
    boost::uuids::detail::sha1 sum;
    sum.process_bytes(text.data(), text.size());
    boost::uuids::detail::sha1::digest_type words{};
    sum.get_digest(words);
    explicit_bzero(&sum, sizeof(sum)); // it has the end of the text
    sha1_hash result{};
    static_assert(sizeof(words) == result.size());
    constexpr auto width = sizeof(words[0]); // words, most significant first; bytes from Boost 1.86
    for (std::size_t i = 0; i < result.size(); ++i)
        result[i] = static_cast<std::uint8_t>(words[i / width] >> (8 * (width - 1 - i % width)));
    return result;
}

} // namespace turnstile::zookeeper
