// SPDX-License-Identifier: BSL-1.0
#include "protocol/names/lock_path.hpp"

#include <cstdint>

namespace turnstile::protocol {

namespace {

// What PathUtils.validatePath of the server refuses. It looks at UTF-16 units, so what Java keeps
// as two surrogates is refused too.
bool is_refused(std::uint32_t c) {
    return c < 0x20 || (c >= 0x7f && c <= 0x9f) || (c >= 0xd800 && c <= 0xf8ff) || c >= 0xfff0;
}

struct code_point {
    std::uint32_t value = 0;
    std::size_t length = 0; // in bytes; 0: it is malformed
};

code_point first_of(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const auto first = byte(0);
    if (first < 0x80)
        return {first, 1};
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
        return {};
    }
    if (text.size() < length)
        return {};
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80)
            return {};
        value = (value << 6) | (byte(i) & 0x3f);
    }
    return value < smallest || value > 0x10ffff ? code_point{} : code_point{value, length};
}

const char* fault_of_part(std::string_view part) {
    if (part.empty())
        return "a part of it is empty";
    if (part == "." || part == "..")
        return "a part of it is '.' or '..'";
    while (!part.empty()) {
        const auto [value, length] = first_of(part);
        if (length == 0)
            return "it is no UTF-8";
        if (is_refused(value))
            return value <= 0x9f ? "it has a control character"
                                 : "it has a character that servers refuse, such as an emoji";
        part.remove_prefix(length);
    }
    return nullptr;
}

} // namespace

const char* fault_of_lock_path(std::string_view path) {
    if (path.empty())
        return "it is empty";
    if (path.size() > longest_lock_path)
        return "it is longer than 1024 bytes";
    if (path.front() != '/')
        return "it does not begin with a slash";
    if (path.size() == 1)
        return "it is the root";
    if (path.back() == '/')
        return "it ends with a slash";
    for (auto rest = path; !rest.empty();) {
        rest.remove_prefix(1);
        const auto part = rest.substr(0, rest.find('/'));
        if (const auto* const fault = fault_of_part(part))
            return fault;
        rest.remove_prefix(part.size());
    }
    return path == "/zookeeper" || path.starts_with("/zookeeper/")
               ? "/zookeeper is the servers' own"
               : nullptr;
}

bool is_valid_lock_path(std::string_view path) { return !fault_of_lock_path(path); }

bool is_valid_chroot(std::string_view path) { return path.empty() || is_valid_lock_path(path); }

std::vector<std::string> parents_of(std::string_view path) {
    std::vector<std::string> parents;
    for (auto slash = path.find('/', 1); slash != path.npos; slash = path.find('/', slash + 1))
        parents.emplace_back(path.substr(0, slash));
    return parents;
}

} // namespace turnstile::protocol
