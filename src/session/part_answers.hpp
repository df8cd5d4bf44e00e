// SPDX-License-Identifier: BSL-1.0
// One operation on a lock that has parts: the answers of the parts, and what they come to.
#pragma once

#include "session/completion.hpp"
#include "session/lock_state.hpp"
#include "session/turns.hpp"

#include <turnstile/diagnostics.hpp>
#include <turnstile/error.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace turnstile::detail {

/// Lives as long as a part has an answer to give.
class part_answers : public std::enable_shared_from_this<part_answers> {
public:
    using plain_handler = lock_state::plain_handler;

    /// On the parts in the order given. A release ends with the last part, with the first error, if
    /// any. Any other operation ends with the first part, and is cancelled on the others. `done`
    /// runs at `home` if it asks for nothing else.
    static void start(lock_operation what, const std::vector<std::shared_ptr<lock_state>>& parts,
                      const boost::asio::any_io_executor& home, plain_handler done);

    part_answers(lock_operation what, std::size_t parts);

private:
    void on_answer(std::size_t part, const error_code& result);
    void complete(const error_code& result);
    void stop();

    const bool awaits_all_;
    turns turns_;
    std::optional<pending_operation<error_code>> waiting_;
    std::vector<boost::asio::cancellation_signal> signals_;
    std::vector<diagnostics> diags_{}; // of each part, where somebody asks for it
    std::size_t open_;
    error_code result_;
};

} // namespace turnstile::detail
