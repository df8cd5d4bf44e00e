// SPDX-License-Identifier: BSL-1.0
// The guarded writes of a session.
#pragma once

#include "protocol/session/guarded_writes.hpp"
#include "session/completion.hpp"
#include "session/pending_table.hpp"

#include <turnstile/error.hpp>
#include <turnstile/guarded_write.hpp>

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace turnstile::detail {

class session_impl;
class ticket_lock;

/// A guarded write that waits for its answer, or for a connection. Its handler takes the results of
/// the steps, or none if the write is a proclamation.
struct pending_write {
    using guarded = pending_operation<error_code, std::vector<node_result>>;
    using proclamation = pending_operation<error_code>;

    std::variant<guarded, proclamation> waiting;
    std::vector<std::shared_ptr<ticket_lock>> locks; // that guard the write

    diagnostics* diag() const {
        return std::visit([](const auto& each) { return each.diag(); }, waiting);
    }
    void complete(error_code failed, std::vector<node_result> results) && {
        if (auto* const without_results = std::get_if<proclamation>(&waiting))
            std::move(*without_results).complete(failed);
        else
            std::get<guarded>(std::move(waiting)).complete(failed, std::move(results));
    }
};

/// Writes nodes under the guard of held locks: the machine sends them, and this class completes the
/// operations. session_writes.cpp also has the functions of held_lock that start them. All members
/// are called on the session's strand. session_impl owns this object.
class session_writes final {
public:
    explicit session_writes(session_impl& of) : session_(of) {}

    /// Carries out the steps under the guard of the write's locks (W1), for an operation that has
    /// begun. `makes`: it is a proclamation, whose node may be missing (E4).
    void send(operation_id id, pending_write&& write, std::vector<protocol::transaction_step> steps,
              bool makes);
    /// The machine reports the end of a write: by an answer, or by a failure that came instead.
    void on_written(protocol::inquiry_id id, const protocol::guarded_write& what,
                    protocol::failure why, const protocol::reply& answer);

    /// Completes the operation with operation_aborted. Does nothing if it is no write that waits.
    void cancel(operation_id id);
    void fail_all(const error_code& why) noexcept { waiting_.fail_all(why); }
    /// Destroys all operations without a completion: the session has no driver any more.
    void drop_all() noexcept { static_cast<void>(waiting_.take()); }

private:
    /// Gives the write to the machine, unless its operation is over.
    void hand_over(operation_id id, const protocol::guarded_write& what);

    session_impl& session_;
    pending_table<pending_write, std::vector<node_result>> waiting_;
};

} // namespace turnstile::detail
