#include "protocol/names/lock_path.hpp"

#include <cstdint>

namespace turnstile::protocol {

namespace {

// What PathUtils.validatePath of the server refuses. It looks at UTF-16 units, so what Java keeps
// as two surrogates is refused too.
bool is_refused(std::uint32_t c) {
    return c < 0x20 || (c >= 0x7f && c <= 0x9f) || (c >= 0xd800 && c <= 0xf8ff) || c >= 0xfff0;
}

// Decodes one code point strictly; returns its length, or 0 where it is malformed or refused.
std::size_t accept_code_point(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const auto first = byte(0);
    if (first < 0x80)
        return is_refused(first) ? 0 : 1;
    std::size_t length = 0;
    std::uint32_t value = 0;
    std::uint32_t smallest = 0;
    if ((first & 0xe0) == 0xc0) {
        length = 2, value = first & 0x1f, smallest = 0x80;
    } else if ((first & 0xf0) == 0xe0) {
        length = 3, value = first & 0x0f, smallest = 0x800;
    } else if ((first & 0xf8) == 0xf0) {
        length = 4, value = first & 0x07, smallest = 0x10000;
    } else {
        return 0;
    }
    if (text.size() < length)
        return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80)
            return 0;
        value = (value << 6) | (byte(i) & 0x3f);
    }
    return value < smallest || value > 0x10ffff || is_refused(value) ? 0 : length;
}

bool is_valid_part(std::string_view part) {
    if (part.empty() || part == "." || part == "..")
        return false;
    while (!part.empty()) {
        const auto length = accept_code_point(part);
        if (length == 0)
            return false;
        part.remove_prefix(length);
    }
    return true;
}

bool is_valid_path(std::string_view path) {
    if (path.size() < 2 || path.size() > longest_lock_path || path.front() != '/')
        return false;
    for (auto rest = path; !rest.empty();) {
        rest.remove_prefix(1);
        const auto part = rest.substr(0, rest.find('/'));
        if (!is_valid_part(part))
            return false;
        rest.remove_prefix(part.size());
    }
    return true;
}

} // namespace

bool is_valid_lock_path(std::string_view path) {
    return is_valid_path(path) && path != "/zookeeper" && !path.starts_with("/zookeeper/");
}

bool is_valid_chroot(std::string_view path) { return path.empty() || is_valid_lock_path(path); }

std::vector<std::string> parents_of(std::string_view path) {
    std::vector<std::string> parents;
    for (auto slash = path.find('/', 1); slash != path.npos; slash = path.find('/', slash + 1))
        parents.emplace_back(path.substr(0, slash));
    return parents;
}

} // namespace turnstile::protocol
