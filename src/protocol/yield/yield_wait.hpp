// SPDX-License-Identifier: BSL-1.0
// The question of a holder: does another session ask it to let go?
#pragma once

#include "protocol/names/ticket_data.hpp"
#include "protocol/names/ticket_name.hpp"
#include "protocol/wire/path_question.hpp"
#include "protocol/yield/yield_request.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace turnstile::protocol {

/// Watches the one node beside the lock path. A request that means another ticket is void: it was
/// meant for a holder of before, perhaps in another incarnation of the path. A ticket's name is
/// used once. Only that of a lock of one node needs the czxid.
class yield_wait : public path_question {
public:
    yield_wait(const std::string& lock_path, std::string_view ticket, std::int64_t czxid)
        : question_{.op = operation::exists, .path = yield_node_of(lock_path), .watch = true},
          own_(ticket) {
        if (ticket == holder_name)
            own_ += ' ' + std::to_string(czxid);
    }

    request question() const override { return question_; }
    bool awaits() const override { return is_awaited_; }
    /// A holder waits as long as it holds the lock.
    bool outlasts_limit() const override { return true; }
    /// The answer has the node's data, if the node is there.
    void on_answer(const reply& answer) override {
        is_awaited_ = false;
        if (outcome_unknown(answer.code))
            return;
        if (refused(answer.code))
            return end(failure_of_read(answer.code), answer.code);
        found_ = ticket_data::parse(answer.data).value_or(ticket_data());
        is_awaited_ = found_.ticket.empty() || !(found_.ticket + ' ').starts_with(own_ + ' ');
        if (!is_awaited_)
            end(failure::none);
    }

    const ticket_data& found() const { return found_; }

private:
    request question_;
    std::string own_; // the own ticket, as requests name it
    ticket_data found_{};
    bool is_awaited_ = false;
};

} // namespace turnstile::protocol
