// SPDX-License-Identifier: BSL-1.0
// Operations on a path that take no place there, of one session. Of a semaphore its limit is read
// or set, or all of it is removed. Of any lock the participants are listed, and one is deleted. Of
// any node the children or the session's rights are asked for.
#pragma once

#include "protocol/names/ticket_id.hpp"
#include "protocol/time/instant.hpp"
#include "protocol/wire/path_question.hpp"
#include "protocol/yield/yield_wait.hpp"
#include "session/pending_table.hpp"

#include <turnstile/error.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace turnstile::detail {

class session_impl;

/// A question that the machine asks, and who waits for it.
struct pending_query {
    std::shared_ptr<protocol::path_question> what;
    std::string path; // of the lock
    /// Empty where an acquire asks, which has a handler of its own, and once it was called.
    std::function<void(error_code, protocol::path_question&)> done{};
    diagnostics* diag = nullptr;
    /// Of one that has news.
    std::function<void()> news{};

    void complete(error_code result) {
        if (const auto waiting = std::exchange(done, nullptr))
            waiting(result, *what);
    }
};

/// All members are called on the session's strand.
class session_queries {
public:
    explicit session_queries(session_impl& of) : of_(of) {}

    /// `end`: until when its answers are waited for.
    void begin(operation_id id, pending_query&& asked, operation_id group,
               std::optional<protocol::instant> end = {}) {
        open_.add(id, std::move(asked), group);
        ask(id, end);
    }
    void ask(operation_id id, std::optional<protocol::instant> end = {});
    bool cancel(operation_id id);
    void cancel_group(operation_id group);
    /// Where the machine is at work: completes those of a lock that is held no more.
    void end_group(operation_id lock, const error_code& why);
    /// The lock is held by another ticket now, for which another node is asked.
    void await_anew(operation_id lock, const protocol::yield_wait& what);
    void on_answer(protocol::inquiry_id inquiry, const protocol::path_question& what);

    void fail_all(const error_code& why) noexcept { open_.fail_all(why); }
    auto take() { return open_.take(); }

private:
    session_impl& of_;
    pending_table<pending_query> open_; // by lock object, or by lock
};

} // namespace turnstile::detail
