// SPDX-License-Identifier: BSL-1.0
// Operations on a path that take no place there, of one session. Of a semaphore its limit is read
// or set, or all of it is removed. Of any lock the participants are listed, and one is deleted. Of
// any node the children or the session's rights are asked for.
#pragma once

#include "protocol/inspect/access_probe.hpp"
#include "protocol/inspect/line_survey.hpp"
#include "protocol/inspect/path_read.hpp"
#include "protocol/inspect/ticket_removal.hpp"
#include "protocol/names/ticket_id.hpp"
#include "protocol/semaphore/semaphore_change.hpp"
#include "protocol/time/instant.hpp"
#include "protocol/yield/yield_request.hpp"
#include "protocol/yield/yield_wait.hpp"
#include "session/lock_object.hpp"
#include "session/pending_table.hpp"

#include <turnstile/error.hpp>
#include <turnstile/guarded_write.hpp>
#include <turnstile/participant.hpp>
#include <turnstile/path_access.hpp>
#include <turnstile/yield_request.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace turnstile::detail {

class session_impl;

/// One in progress. Its handler takes the code, and what the operation was to find out.
struct pending_query {
    using plain = pending_operation<error_code>;
    using with_limit = pending_operation<error_code, std::uint32_t>;
    using with_names = pending_operation<error_code, std::vector<std::string>>;
    using with_access = pending_operation<error_code, path_access>;
    using with_value = pending_operation<error_code, node_value>;
    using with_request = pending_operation<error_code, yield_request>;
    using with_line = pending_operation<error_code, std::vector<participant>>;
    using wish = std::variant<protocol::semaphore_change, protocol::ticket_removal,
                              protocol::path_read, protocol::access_probe, protocol::yield_request,
                              protocol::yield_wait, protocol::line_survey>;

    using handlers = std::variant<plain, with_limit, with_names, with_access, with_value,
                                  with_request, with_line>;

    std::optional<handlers> waiting;
    std::shared_ptr<lock_record> of;
    wish what;
    protocol::instant began;
    /// What it wants to know next is asked. Until then an event of what it asked last is no answer.
    bool is_asked = false;

    /// Null where it is about something else.
    protocol::semaphore_change* of_semaphore() {
        return std::get_if<protocol::semaphore_change>(&what);
    }
    /// For an acquire, which has a handler of its own. Or one whose handler was told already.
    bool asks_for_acquire() const {
        return !waiting && std::holds_alternative<protocol::yield_request>(what);
    }
    protocol::line_survey* of_line() { return std::get_if<protocol::line_survey>(&what); }
    protocol::request question() const {
        return std::visit([](const auto& each) -> protocol::request { return each.question(); },
                          what);
    }
    diagnostics* diag() const {
        return waiting ? std::visit([](const auto& each) { return each.diag(); }, *waiting)
                       : nullptr;
    }
    /// Nobody waits any more after that.
    void complete(error_code result, std::vector<participant> line);
};

/// Each asks one thing after the other: under its own id, for it has one question at a time. A
/// survey alone has several. All members are called on the session's strand.
class session_queries {
public:
    explicit session_queries(session_impl& of) : of_(of) {}

    /// All questions but a survey's count from its beginning, so that one that servers never carry
    /// out ends.
    void begin(operation_id id, pending_query&& waiting, operation_id group) {
        open_.add(id, std::move(waiting), group);
        ask(id);
    }
    /// Asks what is to be asked next.
    void ask(operation_id id);
    bool cancel(operation_id id);
    void cancel_group(operation_id group);
    /// Where the machine is at work: completes those of a lock that is held no more.
    void end_group(operation_id lock, const error_code& why);
    /// The lock is held by another ticket now, for which another node is asked.
    void await_anew(operation_id lock, const protocol::yield_wait& what);

    void on_answer(protocol::inquiry_id inquiry, const protocol::reply& answer);
    void on_inquiry_failed(protocol::inquiry_id inquiry, protocol::failure why);
    /// Whether it was one of these that had the path looked up.
    bool on_looked_up(protocol::inquiry_id lookup, protocol::failure why,
                      protocol::zookeeper_code code);

    void fail_all(const error_code& why) noexcept {
        questions_.clear();
        open_.fail_all(why);
    }
    auto take() { return open_.take(); }

private:
    void ask_for_line(operation_id id);
    void go_on(operation_id id);
    void end(operation_id id, protocol::failure why, protocol::zookeeper_code code);
    std::vector<protocol::inquiry_id> forget_questions(operation_id id);

    session_impl& of_;
    pending_table<pending_query, std::vector<participant>> open_; // by lock object, or by lock
    /// Of surveys: which of its questions an inquiry is.
    std::map<protocol::inquiry_id, std::pair<operation_id, std::size_t>> questions_;
};

} // namespace turnstile::detail
