// SPDX-License-Identifier: BSL-1.0
// What marks one acquire in the data of its nodes, over all its tries.
#pragma once

#include "protocol/names/ticket_id.hpp"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace turnstile::protocol {

/// A number that no other session draws, and the acquire's own of this session.
struct request_mark {
    std::uint64_t random = 0;
    ticket_id acquire = 0;

    /// <16 hex digits>-<decimal digits>, without memory of its own.
    class text {
    public:
        explicit text(const request_mark& of) {
            auto* const last = bytes_.data() + bytes_.size();
            auto* end = std::to_chars(bytes_.data(), last, of.random, 16).ptr;
            *end++ = '-';
            end = std::to_chars(end, last, of.acquire).ptr;
            size_ = static_cast<std::size_t>(end - bytes_.data());
        }
        operator std::string_view() const { return {bytes_.data(), size_}; } // NOLINT: it is one

    private:
        std::array<char, 16 + 1 + 20> bytes_;
        std::size_t size_;
    };
    text str() const { return text(*this); }
};

} // namespace turnstile::protocol
