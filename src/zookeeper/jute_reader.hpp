// Reads ZooKeeper's wire encoding (Jute) out of bytes that nobody has vouched for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace turnstile::zookeeper {

/// Each read tells whether the value was there; after the first that was not, none is.
class jute_reader {
public:
    explicit jute_reader(std::string_view bytes) : bytes_(bytes) {}

    bool read(std::int32_t& value) {
        std::uint64_t bits = 0;
        if (!read_bits(4, bits))
            return false;
        value = static_cast<std::int32_t>(static_cast<std::uint32_t>(bits));
        return true;
    }
    bool read(std::int64_t& value) {
        std::uint64_t bits = 0;
        if (!read_bits(8, bits))
            return false;
        value = static_cast<std::int64_t>(bits);
        return true;
    }
    bool read(bool& value) {
        std::uint64_t bits = 0;
        if (!read_bits(1, bits) || bits > 1)
            return fail();
        value = bits == 1;
        return true;
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
    bool read_bits(std::size_t count, std::uint64_t& bits) {
        if (failed_ || count > bytes_.size())
            return fail();
        for (std::size_t i = 0; i < count; ++i)
            bits = bits << 8 | static_cast<unsigned char>(bytes_[i]);
        bytes_.remove_prefix(count);
        return true;
    }

    std::string_view bytes_;
    bool failed_ = false;
};

} // namespace turnstile::zookeeper
