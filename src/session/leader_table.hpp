// SPDX-License-Identifier: BSL-1.0
// The elections that a session observes.
#pragma once

#include "protocol/election/first_ticket.hpp"
#include "protocol/names/ticket_id.hpp"
#include "protocol/wire/failure.hpp"
#include "protocol/wire/message.hpp"
#include "session/lock_object.hpp"
#include "session/pending_table.hpp"

#include <turnstile/error.hpp>
#include <turnstile/leader_info.hpp>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace turnstile::detail {

class session_impl;

/// What a leader proclaims stands beside the lock path, and counts for its ticket alone.
inline std::string proclamation_node_of(const std::string& path) { return path + "%leader"; }
inline std::string proclamation_of(std::uint64_t token, const std::string& value) {
    return "token=" + std::to_string(token) + '\n' + value;
}

/// One look at an election: its first ticket, and what the leader proclaimed. Both are read once
/// for `leader`, and watched from the first `observe` until the object goes. All members are called
/// on the session's strand.
class leader_table {
public:
    using operation = pending_operation<error_code, leader_info>;
    using group_id = std::uint64_t;

    explicit leader_table(session_impl& of) : of_(of) {}

    /// Completes with the leader, where that is not the one `known`. With none known, at once.
    void await(const std::shared_ptr<lock_record>& of, const std::optional<leader_info>& known,
               operation_id id, operation&& waiting);
    bool cancel(operation_id id, error_code result);
    void cancel_group(group_id group);
    void fail_all(const error_code& why) {
        looks_.clear();
        waiting_.fail_all(why);
    }
    auto take() { return waiting_.take(); }

    /// Asks what is to be asked next, if it is one of these.
    void ask(protocol::inquiry_id line);
    /// Whether it was a question of these.
    bool on_answer(protocol::inquiry_id inquiry, const protocol::reply& answer);
    bool on_failed(protocol::inquiry_id inquiry, protocol::failure why);

private:
    struct waiter : operation {
        std::optional<leader_info> known;
    };
    struct look {
        protocol::inquiry_id line = 0;
        protocol::inquiry_id proclaimed = 0;
        protocol::first_ticket first;
        bool is_first_known = false;
        std::optional<std::string> proclamation{};
        std::deque<leader_info> seen{}; // the last of them leads
    };
    /// By the object that asked, and whether it follows.
    using look_table = std::map<std::pair<group_id, bool>, look>;

    look_table::iterator of_inquiry(protocol::inquiry_id inquiry);
    void update(look_table::iterator which);
    void tell(look_table::iterator which);
    void end(look_table::iterator which);

    session_impl& of_;
    look_table looks_;
    pending_table<waiter, leader_info> waiting_;
};

} // namespace turnstile::detail
