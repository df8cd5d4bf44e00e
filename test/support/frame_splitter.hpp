// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "frame.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace turnstile::test {

inline constexpr std::uint32_t largest_frame = 64U << 20U; // bytes

/// Cuts the byte stream of one direction into frames. A stream that cannot be frames, such as an
/// administrative word, passes as it comes from then on.
class frame_splitter {
public:
    void feed(const char* data, std::size_t size) { buffer_.append(data, size); }

    /// The bytes of the next complete frame, with its length; nothing if it is not complete yet.
    [[nodiscard]] std::optional<std::string> next() {
        if (!raw_) {
            if (buffer_.size() < frame_length_size)
                return std::nullopt;
            std::uint32_t body = 0;
            for (std::size_t i = 0; i < frame_length_size; ++i)
                body = (body << 8U) | static_cast<unsigned char>(buffer_[i]);
            raw_ = body > largest_frame; // also if negative
            if (!raw_) {
                const auto total = frame_length_size + body;
                if (buffer_.size() < total)
                    return std::nullopt;
                std::string result = buffer_.substr(0, total);
                buffer_.erase(0, total);
                return result;
            }
        }
        if (buffer_.empty())
            return std::nullopt;
        return std::exchange(buffer_, {});
    }

private:
    std::string buffer_; // not returned yet
    bool raw_ = false;   // the stream cannot be frames
};

} // namespace turnstile::test
