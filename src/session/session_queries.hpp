// SPDX-License-Identifier: BSL-1.0
// The questions that a session asks the servers beside its acquires and releases.
#pragma once

#include "protocol/names/ticket_id.hpp"
#include "protocol/semaphore/semaphore_change.hpp"
#include "protocol/time/instant.hpp"
#include "protocol/wire/path_question.hpp"
#include "session/completion.hpp"
#include "session/leader_table.hpp"
#include "session/locks/lock_object.hpp"
#include "session/option_check.hpp"
#include "session/pending_table.hpp"

#include <turnstile/error.hpp>
#include <turnstile/guarded_write.hpp>
#include <turnstile/leader_info.hpp>
#include <turnstile/participant.hpp>
#include <turnstile/path_access.hpp>
#include <turnstile/yield_request.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace turnstile::detail {

class session_impl;
class ticket_lock;

/// A question that the machine asks, and the operation that waits for its end. There are three
/// kinds:
/// - Most questions complete one operation, by `done`, at their end.
/// - The question of a followed election also reports changes by `on_news`. Its `done` ends all
///   waits of the election.
/// - An acquire asks the holders to yield. No operation waits for its end, and `path` is set.
struct pending_query {
    std::shared_ptr<protocol::path_question> what;
    std::string path{}; // of the lock, if is_for_acquire(); else empty
    /// Completes the operation. Empty after that, and from the start if is_for_acquire().
    std::function<void(error_code, protocol::path_question&)> done{};
    diagnostics* diag = nullptr;
    /// Called with each change that the question has found. Empty if it ends with its first answer.
    std::function<void()> on_news{};

    bool is_for_acquire() const { return !path.empty(); }
    void complete(error_code result) {
        if (const auto waiting = std::exchange(done, nullptr))
            waiting(result, *what);
    }
};

/// What an operation asks about, and how.
struct question_terms {
    std::string path;
    operation_id group = 0; // of the lock object
    fault bad{};            // a code: it fails with this, and asks nothing
    effect left = effect::none;
    std::optional<protocol::instant> end{}; // it fails then
};

/// The operations that ask a question (path_question): they list participants, evict one, read or
/// change a semaphore, ask for a leader or a node, and ask holders to yield. Such an operation may
/// begin on any thread. All other members are called on the session's strand. session_impl owns
/// this object.
/// (Rules: docs/internals/protocol/beside.md)
class session_queries final {
public:
    template <class... Results>
    using handler = erased_handler<void(error_code, Results...)>;

    explicit session_queries(session_impl& session) : session_(session) {}

    // ---- operations ----
    // session_queries.cpp defines the templates too, since it also has all functions of the public
    // classes that begin such an operation.

    /// Begins an operation that asks a question. `take` gets the result out of the question that
    /// has ended, on the strand.
    template <class Question, class... Results, class Take>
    void start(const question_terms& how, handler<Results...>&& done, Question what, Take take);
    /// Completes with a leader other than `known`; without `known` with the present leader.
    void follow_leader(const lock_object& object, const std::optional<leader_info>& known,
                       handler<leader_info>&& done);

    // ---- on the strand ----

    /// Asks a question for an operation that has begun.
    template <class Question, class... Results, class Take>
    void ask(operation_id id, pending_operation<error_code, Results...>&& pending,
             operation_id group, Question what, Take take,
             std::optional<protocol::instant> end = {});
    /// Asks a question for a lock object or a held lock (`group`). A question that has no answer by
    /// `end` fails.
    void begin(operation_id id, pending_query&& asked, operation_id group,
               std::optional<protocol::instant> end = {});
    /// Completes the questions of a lock that is not held any more. The machine may be at work.
    void end_group(operation_id lock, const error_code& why);
    /// The machine has an answer for this question: its end, or a change.
    void on_answer(protocol::inquiry_id inquiry, const protocol::path_question& what);

    /// Ends the operation with operation_aborted. Does nothing if it is over, or asks no question.
    void cancel(operation_id id);
    /// Ends the operations that one lock object has started, unless they go on without it.
    void cancel_group(operation_id group);
    void fail_all(const error_code& why) noexcept { open_.fail_all(why); }
    /// Destroys all without a completion: the session has no driver any more.
    void drop_all() noexcept;

private:
    /// Hands a question to the machine, unless it was cancelled.
    void hand_to_machine(operation_id id, std::optional<protocol::instant> end = {});

    session_impl& session_;
    pending_table<pending_query> open_; // by group: a lock object, or a held lock
    /// The waits for leaders. Each lock object that observes has one open question, which feeds its
    /// waits here.
    leader_table leaders_;
};

} // namespace turnstile::detail
