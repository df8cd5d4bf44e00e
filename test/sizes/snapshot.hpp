// SPDX-License-Identifier: BSL-1.0
// A server's snapshot, changed by hand while the server is down.
#pragma once

#include "support/pch.hpp"

namespace turnstile::test {

// After the nodes comes the checksum, a long, and then the string "/": its length, and itself.
inline constexpr std::size_t end_mark = 5;

inline constexpr std::size_t seal = 8 + end_mark;

// Of a node: its path, its data (each with its length before it), its ACL (a long), its stat:
// czxid, mzxid, ctime, mtime (longs), version, cversion (ints), ...
inline constexpr std::size_t cversion_in_stat = 4 * 8 + 4;

template <std::size_t Bytes>
std::string big_endian(std::uint64_t value) {
    std::string text(Bytes, '\0');
    for (std::size_t i = 0; i < Bytes; ++i)
        text[Bytes - 1 - i] = static_cast<char>(value >> (8 * i));
    return text;
}

inline std::uint32_t adler32(std::string_view bytes) {
    std::uint32_t a = 1;
    std::uint32_t b = 0;
    for (const char byte : bytes) {
        a = (a + static_cast<unsigned char>(byte)) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

inline std::filesystem::path newest_snapshot(const std::filesystem::path& data_folder) {
    std::filesystem::path newest;
    std::uint64_t highest = 0;
    for (const auto& file : std::filesystem::directory_iterator(data_folder / "version-2")) {
        const auto name = file.path().filename().string();
        if (!name.starts_with("snapshot."))
            continue;
        const auto zxid = std::stoull(name.substr(9), nullptr, 16);
        if (newest.empty() || zxid > highest) {
            newest = file.path();
            highest = zxid;
        }
    }
    return newest;
}

inline std::string read(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Lets a node look as if it had had so many children: the next sequential one is named after that.
/// The newest snapshot in the folder has to know the node, and the server to run with
/// zookeeper.digest.enabled=false. Throws std::runtime_error.
inline void set_children_made(const std::filesystem::path& data_folder, const std::string& node,
                              std::int32_t count) {
    const auto file = newest_snapshot(data_folder);
    auto bytes = read(file);
    const auto key = big_endian<4>(node.size()) + node;
    const auto found = bytes.find(key);
    if (bytes.size() < seal || found == bytes.npos || bytes.find(key, found + 1) != bytes.npos)
        throw std::runtime_error("no such node in the snapshot, or no snapshot: " + node);
    const auto body = bytes.size() - seal;
    const auto check = [&](std::string_view of) { return big_endian<8>(adler32(of)); };
    if (bytes.substr(body, 8) != check(std::string_view(bytes).substr(0, body)))
        throw std::runtime_error("not a snapshot of the known form: " + file.string());
    auto at = found + key.size();
    std::int32_t data_length = 0;
    for (std::size_t i = 0; i < 4; ++i)
        data_length = data_length << 8 | static_cast<unsigned char>(bytes.at(at + i));
    at += 4 + static_cast<std::size_t>(std::max(data_length, 0)) + 8 + cversion_in_stat;
    bytes.replace(at, 4, big_endian<4>(static_cast<std::uint32_t>(count)));
    bytes.replace(body, 8, check(std::string_view(bytes).substr(0, body)));
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

} // namespace turnstile::test
