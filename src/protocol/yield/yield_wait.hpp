// SPDX-License-Identifier: BSL-1.0
// Waits until the holder of a lock is asked to let go.
#pragma once

#include "protocol/names/ticket_data.hpp"
#include "protocol/names/ticket_name.hpp"
#include "protocol/wire/path_question.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace turnstile::protocol {

/// Beside the lock path: nothing but tickets lives below it. It names the ticket that is meant, so
/// the next holder cannot take it for its own. A writer that becomes a reader keeps its sequence.
/// The one node of a lock without a line has none, but always its czxid.
inline std::string yield_node_of(const std::string& lock_path, std::string_view ticket,
                                 std::int64_t czxid) {
    constexpr std::size_t digits = 10;
    const auto sequence = ticket.substr(ticket.size() - std::min(ticket.size(), digits));
    const auto meant = ticket == holder_name ? std::to_string(czxid) : std::string(sequence);
    return lock_path + '%' + meant + "%yield";
}

/// Its question has an answer with each change of the node.
class yield_wait : public path_question {
public:
    explicit yield_wait(std::string node) : node_(std::move(node)) {}

    request question() const { return {.op = operation::exists, .path = node_, .watch = true}; }
    bool awaits() const { return is_watched_; }
    void on_answer(const reply& answer) {
        is_watched_ = true;
        if (refused(answer.code))
            return end(failure_of_read(answer.code), answer.code);
        if (const auto who = ticket_data::parse(answer.data)) { // as in a ticket
            found_ = *who;
            end(failure::none);
        }
    }
    const ticket_data& found() const { return found_; }

private:
    std::string node_;
    bool is_watched_ = false;
    ticket_data found_{};
};

} // namespace turnstile::protocol
