// SPDX-License-Identifier: BSL-1.0
// Operations on a path that take no place there, of one session. Of a semaphore its limit is read
// or set, or all of it is removed. Of any lock the participants are listed, and one is deleted. Of
// any node the children or the session's rights are asked for.
#pragma once

#include "protocol/inspect/access_probe.hpp"
#include "protocol/inspect/child_listing.hpp"
#include "protocol/inspect/survey_table.hpp"
#include "protocol/inspect/ticket_removal.hpp"
#include "protocol/semaphore/semaphore_change.hpp"
#include "protocol/time/instant.hpp"
#include "session/lock_object.hpp"
#include "session/pending_table.hpp"

#include <turnstile/error.hpp>
#include <turnstile/participant.hpp>
#include <turnstile/path_access.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace turnstile::detail {

class session_impl;

/// One that asks its questions under its own id, in progress. Its handler takes the code, and what
/// the operation was to find out.
struct pending_change {
    using plain = pending_operation<error_code>;
    using with_limit = pending_operation<error_code, std::uint32_t>;
    using with_names = pending_operation<error_code, std::vector<std::string>>;
    using with_access = pending_operation<error_code, path_access>;
    using wish = std::variant<protocol::semaphore_change, protocol::ticket_removal,
                              protocol::child_listing, protocol::access_probe>;

    std::variant<plain, with_limit, with_names, with_access> waiting;
    std::shared_ptr<lock_record> of;
    wish what;
    protocol::instant began;

    /// Null where it is about something else.
    protocol::semaphore_change* of_semaphore() {
        return std::get_if<protocol::semaphore_change>(&what);
    }
    diagnostics* diag() const {
        return std::visit([](const auto& each) { return each.diag(); }, waiting);
    }
    void complete(error_code result, std::uint32_t limit) &&;
};

/// Each asks one thing after the other, and has as many inquiries of the machine as it has
/// questions. All members are called on the session's strand.
class session_queries {
public:
    using survey_result = std::vector<participant>;

    explicit session_queries(session_impl& of) : of_(of) {}

    void survey(operation_id id, operation_id group, std::string path, std::size_t most,
                std::optional<protocol::instant> end,
                pending_operation<error_code, survey_result>&& waiting);
    /// Its question is an inquiry, or a look-up, under the id of the operation: it has one at a
    /// time. All count from its beginning, so that one that servers never carry out ends.
    void change(operation_id id, pending_change&& waiting);
    /// Asks what is to be asked next.
    void ask(operation_id id);
    bool cancel(operation_id id);
    void cancel_group(operation_id group);

    void on_answer(protocol::inquiry_id inquiry, const protocol::reply& answer);
    void on_inquiry_failed(protocol::inquiry_id inquiry, protocol::failure why);
    /// Whether it was one of these that had the path looked up.
    bool on_looked_up(protocol::inquiry_id lookup, protocol::failure why,
                      protocol::zookeeper_code code);

    void fail_all(const error_code& why) noexcept;
    auto take() { return std::tuple{surveyors_.take(), changes_.take()}; }

private:
    void end_survey(operation_id id);
    void continue_change(operation_id id);
    void end_change(operation_id id, protocol::failure why, protocol::zookeeper_code code);

    session_impl& of_;
    operation_table<survey_result> surveyors_; // by lock object
    protocol::survey_table surveys_;
    pending_table<pending_change, std::uint32_t> changes_; // by lock object
};

} // namespace turnstile::detail
