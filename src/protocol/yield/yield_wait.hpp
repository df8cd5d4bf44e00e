// SPDX-License-Identifier: BSL-1.0
// The question of a holder: is it asked to let go of the lock?
#pragma once

#include "protocol/names/ticket_data.hpp"
#include "protocol/names/ticket_name.hpp"
#include "protocol/wire/path_question.hpp"
#include "protocol/yield/yield_request.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace turnstile::protocol {

/// Watches the node of requests to yield (yield_request), until it names the holder's ticket. A
/// request that names another ticket is void: it was meant for an earlier holder. The name alone
/// tells the holder's ticket from all others. Only a lock of one node uses a name again, so there
/// the czxid counts, too.
class yield_wait : public path_question {
public:
    /// `ticket` returns the name of the holder's ticket as it is now: an upgrade or a downgrade
    /// changes it.
    yield_wait(const std::string& lock_path, std::function<std::string()> ticket,
               std::int64_t czxid)
        : question_{.op = operation::exists, .path = yield_node_of(lock_path), .watch = true},
          ticket_(std::move(ticket)),
          czxid_(czxid) {}

    request question() const override { return question_; }
    bool awaits() const override { return is_awaited_; }
    /// A holder waits as long as it holds the lock.
    bool outlasts_limit() const override { return true; }
    /// The answer has the node's data, or none if the node is missing.
    void on_answer(const reply& answer) override {
        is_awaited_ = false;
        if (outcome_unknown(answer.code))
            return;
        if (refused(answer.code))
            return end(failure_of_read(answer.code), answer.code);
        found_ = ticket_data::parse(answer.data).value_or(ticket_data());
        auto own = ticket_();
        if (own == holder_name)
            own += ' ' + std::to_string(czxid_);
        is_awaited_ = found_.ticket.empty() || !(found_.ticket + ' ').starts_with(own + ' ');
        if (!is_awaited_)
            end(failure::none);
    }

    /// The request to yield, once the question is over.
    const ticket_data& found() const { return found_; }

private:
    request question_;
    std::function<std::string()> ticket_;
    std::int64_t czxid_; // of the ticket
    ticket_data found_{};
    bool is_awaited_ = false; // the watch is set, and no request means this holder yet
};

} // namespace turnstile::protocol
