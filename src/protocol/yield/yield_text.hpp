// SPDX-License-Identifier: BSL-1.0
// The node by which a holder is asked to let go, and its data.
#pragma once

#include "protocol/names/text_parts.hpp"
#include "protocol/names/ticket_data.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace turnstile::protocol {

/// Beside the lock path: nothing but tickets lives below it.
inline std::string yield_node_of(const std::string& lock_path) { return lock_path + "%yield"; }

/// Who asks stands there as in a ticket.
struct yield_text {
    ticket_data who{};
    std::string reason{};
    std::int64_t meant = 0; // the czxid of the holder's ticket

    static std::string str(const ticket_data_writer& who, std::string_view request,
                           std::int64_t meant, std::string_view reason) {
        auto text = who.str(request);
        append_line(text, "token=", std::to_string(meant));
        append_line(text, "reason=", reason);
        return text;
    }
    static std::optional<yield_text> parse(std::string_view data) {
        const auto who = ticket_data::parse(data);
        const auto meant = number_of<std::int64_t>(value_of(data, "token="));
        if (!who || !meant)
            return std::nullopt;
        return yield_text{*who, std::string(value_of(data, "reason=")), *meant};
    }
};

} // namespace turnstile::protocol
