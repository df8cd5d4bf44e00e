// SPDX-License-Identifier: BSL-1.0
#include "session/session_queries.hpp"

#include "session/failure_codes.hpp"
#include "session/session_impl.hpp"

#include <boost/asio/error.hpp>

#include <chrono>
#include <utility>

namespace turnstile::detail {

namespace {

// These have the same values in the same order.
static_assert(static_cast<int>(protocol::access_probe::right::denied) ==
              static_cast<int>(path_access::right::denied));
static_assert(static_cast<int>(protocol::line_member::knowledge::refused) ==
              static_cast<int>(participant::knowledge::denied));

participant to_participant(protocol::line_member from) {
    participant result{.node = std::move(from.node),
                       .shared = from.place.kind == protocol::ticket_kind::shared,
                       .holds = from.holds,
                       .foreign = !from.place.ours,
                       .known = static_cast<participant::knowledge>(from.known)};
    if (result.known != participant::knowledge::answered)
        return result;
    if (from.who && from.place.ours) {
        result.host = std::move(from.who->host);
        result.pid = std::move(from.who->process);
        result.label = std::move(from.who->label);
    }
    result.data = std::move(from.data);
    result.session_id = from.stat.ephemeral_owner;
    result.created =
        std::chrono::system_clock::time_point{std::chrono::milliseconds{from.stat.ctime}};
    return result;
}

path_access to_access(protocol::access_probe::result from) {
    const auto right = [](auto which) { return static_cast<path_access::right>(which); };
    return {.node = std::move(from.node),
            .exists = from.exists,
            .read = right(from.read),
            .create = right(from.create),
            .write = right(from.write),
            .remove = right(from.remove),
            .gives_more = from.gives_more};
}

} // namespace

void pending_change::complete(error_code result, std::uint32_t limit) && {
    if (auto* const asked = std::get_if<with_limit>(&waiting))
        std::move(*asked).complete(result, limit);
    else if (auto* const listing = std::get_if<with_names>(&waiting))
        std::move(*listing).complete(result, std::get<protocol::child_listing>(what).take());
    else if (auto* const probing = std::get_if<with_access>(&waiting))
        std::move(*probing).complete(result,
                                     to_access(std::get<protocol::access_probe>(what).take()));
    else
        std::move(std::get<plain>(waiting)).complete(result);
}

void session_queries::survey(operation_id id, operation_id group, std::string path,
                             std::size_t most, std::optional<protocol::instant> end,
                             pending_operation<error_code, survey_result>&& waiting) {
    surveyors_.add(id, std::move(waiting), group);
    surveys_.begin(id, std::move(path), most, end);
    ask(id);
}

void session_queries::change(operation_id id, pending_change&& waiting) {
    const auto group = waiting.of->group;
    changes_.add(id, std::move(waiting), group);
    ask(id);
}

void session_queries::ask(operation_id id) {
    if (const auto change = changes_.find(id)) {
        const auto* const what = change->of_semaphore();
        return of_.driver_->drive([&](auto& machine, auto now) {
            if (what && what->needs_path())
                machine.look_up_path(
                    now, id, {.path = what->path(), .permits = 1, .stated_limit = what->limit()},
                    change->began);
            else
                machine.inquire(
                    now, id,
                    std::visit([](const auto& each) { return each.question(); }, change->what),
                    change->began);
        });
    }
    if (!surveys_.contains(id))
        return; // cancelled
    for (const auto& question : surveys_.next(id)) {
        if (!surveys_.contains(id))
            return; // the session is closed, and said so to the question before
        const auto inquiry = of_.next_id();
        surveys_.asked(id, inquiry, question.number);
        of_.driver_->drive([&](auto& machine, auto now) {
            machine.inquire(now, inquiry, question.what, {}, surveys_.end_of(id));
        });
    }
}

// The machine is at work here: what is asked next is asked in a turn of its own.
void session_queries::on_answer(protocol::inquiry_id inquiry, const protocol::reply& answer) {
    if (const auto change = changes_.find(inquiry)) {
        std::visit([&](auto& what) { what.on_answer(answer); }, change->what);
        return continue_change(inquiry);
    }
    const auto survey = surveys_.on_answer(inquiry, answer);
    if (!survey)
        return; // it is over
    if (surveys_.over(*survey))
        end_survey(*survey);
    else if (surveys_.has_next(*survey))
        of_.ask_later(*survey);
}

void session_queries::on_inquiry_failed(protocol::inquiry_id inquiry, protocol::failure why) {
    if (changes_.contains(inquiry))
        return end_change(inquiry, why, protocol::zookeeper_code::ok);
    const auto survey = surveys_.find(inquiry);
    if (!survey)
        return;
    surveys_.end(*survey); // its other questions fail for the same reason, which is not heard
    if (const auto asking = surveyors_.find(*survey))
        of_.explain(asking->diag());
    surveyors_.complete(*survey, to_error_code(why), {});
}

bool session_queries::on_looked_up(protocol::inquiry_id lookup, protocol::failure why,
                                   protocol::zookeeper_code code) {
    const auto change = changes_.find(lookup);
    if (!change)
        return false;
    change->of_semaphore()->on_path(why, code); // nothing else needs the path made
    continue_change(lookup);
    return true;
}

void session_queries::end_survey(operation_id id) {
    auto survey = surveys_.end(id).survey;
    survey_result found;
    for (auto& each : survey.take()) {
        const auto sharers = of_.driver_->machine().kinds().sharers_of(survey.path(), each.node);
        found.push_back(to_participant(std::move(each)));
        found.back().handles = sharers;
    }
    if (const auto asking = surveyors_.find(id); asking && survey.why() != protocol::failure::none)
        of_.explain(asking->diag(), survey.why(), survey.code());
    surveyors_.complete(id, to_error_code(survey.why(), survey.code()), std::move(found));
}

void session_queries::continue_change(operation_id id) {
    const auto end = [](const auto& what) {
        return what.over() ? std::optional(std::pair(what.why(), what.code())) : std::nullopt;
    };
    if (const auto ended = std::visit(end, changes_.find(id)->what))
        end_change(id, ended->first, ended->second);
    else
        of_.ask_later(id);
}

void session_queries::end_change(operation_id id, protocol::failure why,
                                 protocol::zookeeper_code code) {
    auto& ending = *changes_.find(id);
    const auto* const semaphore = ending.of_semaphore();
    const auto limit = why == protocol::failure::none && semaphore ? semaphore->limit() : 0;
    if (why != protocol::failure::none)
        of_.explain(ending.diag(), why, code);
    else if (semaphore && semaphore->is_set())
        ending.of->limit_set = limit;
    changes_.complete(id, to_error_code(why, code), limit);
}

bool session_queries::cancel(operation_id id) {
    const error_code aborted = boost::asio::error::operation_aborted;
    const auto stop = [this](protocol::inquiry_id inquiry) {
        of_.driver_->drive([&](auto& machine, auto now) { machine.cancel(now, inquiry); });
    };
    if (surveys_.contains(id)) {
        for (const auto inquiry : surveys_.end(id).open)
            stop(inquiry);
        return surveyors_.complete(id, aborted, {});
    }
    if (!changes_.contains(id))
        return false;
    stop(id); // that ends it, if a question is open
    changes_.complete(id, aborted, 0);
    return true;
}

void session_queries::cancel_group(operation_id group) {
    for (const auto id : surveyors_.members(group))
        cancel(id);
    for (const auto id : changes_.members(group))
        cancel(id);
}

void session_queries::fail_all(const error_code& why) noexcept {
    surveyors_.fail_all(why);
    changes_.fail_all(why);
}

} // namespace turnstile::detail
