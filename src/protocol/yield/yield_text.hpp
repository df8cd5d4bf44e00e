// SPDX-License-Identifier: BSL-1.0
// The node by which a holder is asked to let go, and its data.
#pragma once

#include "protocol/names/text_parts.hpp"
#include "protocol/names/ticket_data.hpp"
#include "protocol/names/ticket_name.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace turnstile::protocol {

/// Beside the lock path: nothing but tickets lives below it. It names the ticket that is meant, so
/// the next holder cannot take it for its own. A writer that becomes a reader keeps its sequence.
/// The one node of a lock without a line has no sequence, but always its czxid.
inline std::string yield_node_of(const std::string& lock_path, std::string_view ticket,
                                 std::int64_t czxid) {
    const auto digits = ticket.substr(ticket.size() - std::min<std::size_t>(ticket.size(), 10));
    const auto meant = ticket == holder_name ? std::to_string(czxid) : std::string(digits);
    return lock_path + '%' + meant + "%yield";
}

/// Who asks stands there as in a ticket.
struct yield_text {
    ticket_data who{};
    std::string reason{};

    static std::string str(const ticket_data_writer& who, std::string_view request,
                           std::string_view reason) {
        auto text = who.str(request);
        append_line(text, "reason=", reason);
        return text;
    }
    static std::optional<yield_text> parse(std::string_view data) {
        if (const auto who = ticket_data::parse(data))
            return yield_text{*who, std::string(value_of(data, "reason="))};
        return std::nullopt;
    }
};

} // namespace turnstile::protocol
