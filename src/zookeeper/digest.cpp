// SPDX-License-Identifier: BSL-1.0
#include "zookeeper/digest.hpp"

#include "zookeeper/sha1.hpp"

#include <cstddef>

namespace turnstile::zookeeper {

namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// 20 bytes in base64 are 27 digits and one '='.
constexpr std::size_t hash_digits = 27;

std::string base64(const sha1_hash& bytes) {
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
