// SPDX-License-Identifier: BSL-1.0
#include "frame_splitter.hpp"

#include "frame.hpp"

#include <cstdint>
#include <utility>

namespace turnstile::test {
namespace {

constexpr std::uint32_t largest_frame = 64U << 20U;

} // namespace

std::optional<std::string> frame_splitter::next() {
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

} // namespace turnstile::test
