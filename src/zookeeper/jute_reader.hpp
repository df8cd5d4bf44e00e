// SPDX-License-Identifier: BSL-1.0
// Reads ZooKeeper's wire encoding (Jute) out of bytes that nobody has vouched for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <endian.h>
#include <string_view>

namespace turnstile::zookeeper {

/// Each read tells whether the value was there; after the first that was not, none is.
class jute_reader {
public:
    explicit jute_reader(std::string_view bytes) : bytes_(bytes) {}

    bool read(std::int32_t& value) {
        std::uint32_t bits = 0;
        if (!take(bits))
            return false;
        value = static_cast<std::int32_t>(be32toh(bits));
        return true;
    }
    bool read(std::int64_t& value) {
        std::uint64_t bits = 0;
        if (!take(bits))
            return false;
        value = static_cast<std::int64_t>(be64toh(bits));
        return true;
    }
    bool read(bool& value) {
        std::uint8_t byte = 0;
        if (!take(byte) || byte > 1)
            return fail();
        value = byte == 1;
        return true;
    }
    /// Null where there are not so many.
    const unsigned char* take_bytes(std::size_t count) {
        const auto* const bytes = reinterpret_cast<const unsigned char*>(bytes_.data());
        return skip(count) ? bytes : nullptr;
    }
    static std::int32_t number_at(const unsigned char* bytes) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, bytes, sizeof(bits));
        return static_cast<std::int32_t>(be32toh(bits));
    }
    bool skip(std::size_t count) {
        if (count > bytes_.size())
            return fail();
        bytes_.remove_prefix(count);
        return true;
    }
    /// A length and as many bytes.
    bool skip_string() {
        std::int32_t length = 0;
        return read(length) && (length >= 0 ? skip(static_cast<std::size_t>(length)) : fail());
    }
    /// The same, or none: its length is -1 then.
    bool skip_buffer() {
        std::int32_t length = 0;
        if (!read(length) || length == -1)
            return !failed_;
        return length >= 0 ? skip(static_cast<std::size_t>(length)) : fail();
    }
    bool skip_strings() {
        std::int32_t count = 0;
        if (!read(count) || count < 0)
            return fail();
        for (std::int32_t i = 0; i < count; ++i)
            if (!skip_string())
                return false;
        return true;
    }

private:
    bool fail() {
        failed_ = true;
        bytes_ = {};
        return false;
    }
    template <class Bits>
    bool take(Bits& bits) {
        if (sizeof(bits) > bytes_.size())
            return fail();
        std::memcpy(&bits, bytes_.data(), sizeof(bits));
        bytes_.remove_prefix(sizeof(bits));
        return true;
    }

    std::string_view bytes_;
    bool failed_ = false;
};

} // namespace turnstile::zookeeper
