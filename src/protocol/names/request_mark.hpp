// SPDX-License-Identifier: BSL-1.0
// The mark of one acquire in the data of all nodes that its tries make.
#pragma once

#include "protocol/names/text_parts.hpp"
#include "protocol/names/ticket_id.hpp"

#include <cstdint>
#include <string>

namespace turnstile::protocol {

/// A number that no other session draws, and the acquire's own number in this session.
struct request_mark {
    std::uint64_t random = 0;
    ticket_id acquire = 0;

    /// <hex digits>-<decimal digits>, without leading zeros
    std::string str() const {
        std::string text;
        append_hexadecimal(text, random);
        return text.append(1, '-').append(std::to_string(acquire));
    }
};

} // namespace turnstile::protocol
