// SPDX-License-Identifier: BSL-1.0
// Reads ZooKeeper's wire encoding (Jute) out of bytes that may be anything.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace turnstile::zookeeper {

/// Reads one value after the other, and never beyond the end of the bytes. Each function returns
/// whether the value was there; after a false nothing more may be read. `frames` has one for each
/// frame.
class jute_reader {
public:
    explicit jute_reader(std::string_view bytes) : bytes_(bytes) {}

    template <std::signed_integral Number>
    bool read(Number& value) {
        const auto from = bytes_;
        if (!skip(sizeof(value)))
            return false;
        std::make_unsigned_t<Number> bits = 0;
        for (std::size_t i = 0; i < sizeof(value); ++i)
            bits = bits << 8 | static_cast<unsigned char>(from[i]);
        value = static_cast<Number>(bits);
        return true;
    }
    bool read(bool& value) {
        const auto from = bytes_;
        if (!skip(1) || static_cast<unsigned char>(from.front()) > 1)
            return false;
        value = from.front() == 1;
        return true;
    }
    bool skip(std::size_t count) {
        if (count > bytes_.size())
            return false;
        bytes_.remove_prefix(count);
        return true;
    }
    /// Skips a length and as many bytes.
    bool skip_string() {
        std::int32_t length = 0;
        return read(length) && length >= 0 && skip(static_cast<std::size_t>(length));
    }
    /// Skips a buffer: a length, where -1 stands for no buffer, and as many bytes.
    bool skip_buffer() {
        std::int32_t length = 0;
        return read(length) &&
               (length == -1 || (length >= 0 && skip(static_cast<std::size_t>(length))));
    }
    /// Reads a buffer without a copy: `bytes` points into the input, and is empty if there is no
    /// buffer.
    bool read_buffer(std::string_view& bytes) {
        const auto from = bytes_;
        if (!skip_buffer())
            return false;
        bytes = from.substr(0, from.size() - bytes_.size()).substr(sizeof(std::int32_t));
        return true;
    }
    /// Skips a count and as many strings.
    bool skip_strings() {
        std::int32_t count = 0;
        bool is_there = read(count) && count >= 0;
        for (std::int32_t i = 0; is_there && i < count; ++i)
            is_there = skip_string();
        return is_there;
    }

    bool is_at_end() const { return bytes_.empty(); }

private:
    std::string_view bytes_; // that were not read yet
};

} // namespace turnstile::zookeeper
