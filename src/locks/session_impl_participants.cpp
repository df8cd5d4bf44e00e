// SPDX-License-Identifier: BSL-1.0
// Who stands under a lock path: one listing, then the data of the tickets.
#include "locks/failure_codes.hpp"
#include "locks/participant_view.hpp"
#include "locks/session_impl_entry.hpp"

#include <boost/asio/error.hpp>

#include <utility>

namespace turnstile::detail {

void session_impl::participants(std::string path, const survey_manner& how, const error_code& bad,
                                operation_id group, survey_handler handler) {
    const auto id = next_id();
    tell_path(handler.told, path);
    if (refuse(bad ? bad : refusal_of_work(), handler, {}))
        return;
    make_cancellable(handler, id);
    std::optional<protocol::instant> end;
    if (const auto left = how.limit.left())
        end = to_instant(lease_clock::now()) + *left;
    enter([id, group, most = how.most, end, path = std::move(path),
           pending = pending_of(std::move(handler))](session_impl& impl) mutable {
        impl.surveyors_.add(id, group, std::move(pending));
        impl.surveys_.begin(id, std::move(path), most, end);
        impl.ask_next(id);
    });
}

void session_impl::ask_next(operation_id survey) {
    for (const auto& question : surveys_.next(survey)) {
        if (!surveys_.contains(survey))
            return; // the session is closed, and said so to the question before
        const auto inquiry = next_id();
        surveys_.asked(survey, inquiry, question.number);
        driver_->inquire(inquiry, question.what, {}, surveys_.end_of(survey));
    }
}

// The machine is at work here: what is asked next is asked in a turn of its own.
void session_impl::on_answer(protocol::inquiry_id inquiry, const protocol::reply& answer) {
    if (const auto change = changes_.find(inquiry)) {
        change->on_answer(answer);
        return continue_change(inquiry);
    }
    const auto survey = surveys_.on_answer(inquiry, answer);
    if (!survey)
        return; // it is over
    if (surveys_.over(*survey))
        return end_survey(*survey);
    if (surveys_.has_next(*survey))
        enter([id = *survey](session_impl& impl) { impl.ask_next(id); });
}

void session_impl::end_survey(operation_id id) {
    auto survey = surveys_.end(id).survey;
    survey_result found;
    for (auto& each : survey.take()) {
        const auto sharers = driver_->machine().kinds().sharers_of(survey.path(), each.node);
        found.push_back(to_participant(std::move(each)));
        found.back().handles = sharers;
    }
    if (const auto asking = surveyors_.find(id); asking && survey.why() != protocol::failure::none)
        explain(asking->told());
    surveyors_.complete(id, home_, reason_of(survey.why(), survey.code()), std::move(found));
}

void session_impl::on_inquiry_failed(protocol::inquiry_id inquiry, protocol::failure why) {
    if (changes_.contains(inquiry))
        return end_change(inquiry, why, protocol::zookeeper_code::ok);
    const auto survey = surveys_.find(inquiry);
    if (!survey)
        return;
    surveys_.end(*survey); // what else it asked fails for the same reason, or is heard by nobody
    if (const auto asking = surveyors_.find(*survey))
        explain(asking->told());
    surveyors_.complete(*survey, home_, to_error_code(why), {});
}

bool session_impl::cancel_survey(operation_id id) {
    if (!surveys_.contains(id))
        return false;
    for (const auto inquiry : surveys_.end(id).open)
        driver_->cancel(inquiry);
    return surveyors_.complete(id, home_, boost::asio::error::operation_aborted, {});
}

} // namespace turnstile::detail
