// SPDX-License-Identifier: BSL-1.0
#include "zookeeper/digest.hpp"

#include <boost/uuid/detail/sha1.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string.h> // explicit_bzero

namespace turnstile::zookeeper {

namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// A SHA-1: 20 bytes in base64 are 27 digits and one '='.
constexpr std::size_t hash_bytes = 20;
constexpr std::size_t hash_digits = 27;

using hash = std::array<std::uint8_t, hash_bytes>;

hash sha1(std::string_view text) {
    boost::uuids::detail::sha1 sum;
    sum.process_bytes(text.data(), text.size());
    boost::uuids::detail::sha1::digest_type words{};
    sum.get_digest(words);
    explicit_bzero(&sum, sizeof(sum)); // it has the end of the text
    static_assert(sizeof(words) == hash_bytes);
    hash result{};
    constexpr auto width = sizeof(words[0]); // words, most significant first; bytes from Boost 1.86
    for (std::size_t i = 0; i < result.size(); ++i)
        result[i] = static_cast<std::uint8_t>(words[i / width] >> (8 * (width - 1 - i % width)));
    return result;
}

std::string base64(const hash& bytes) {
    std::string text;
    for (std::size_t bit = 0; bit < 8 * bytes.size(); bit += 6) {
        const unsigned high = bytes[bit / 8];
        const unsigned low = bit / 8 + 1 < bytes.size() ? bytes[bit / 8 + 1] : 0U;
        text += alphabet[((high << 8 | low) >> (10 - bit % 8)) & 63U];
    }
    return text + '=';
}

} // namespace

std::string digest_id(std::string_view user_and_password) {
    const auto colon = user_and_password.find(':');
    if (colon == user_and_password.npos || colon == 0)
        return {};
    const auto user = user_and_password.substr(0, colon);
    return std::string(user) + ':' + base64(sha1(user_and_password));
}

bool is_digest_id(std::string_view id) {
    const auto colon = id.find(':');
    if (colon == id.npos || colon == 0)
        return false;
    const auto hash = id.substr(colon + 1);
    return hash.size() == hash_digits + 1 && hash.back() == '=' &&
           hash.find_first_not_of(alphabet) == hash_digits;
}

} // namespace turnstile::zookeeper
