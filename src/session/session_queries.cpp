// SPDX-License-Identifier: BSL-1.0
#include "session/session_queries.hpp"

#include "session/failure_codes.hpp"
#include "session/session_impl.hpp"

#include <boost/asio/error.hpp>

#include <chrono>
#include <utility>

namespace turnstile::detail {

namespace {

node_value to_value(const protocol::reply& from) {
    return {.data = from.data,
            .version = from.stat.version,
            .changed =
                std::chrono::system_clock::time_point{std::chrono::milliseconds{from.stat.mtime}}};
}

yield_request to_request(const protocol::ticket_data& from) {
    return {from.value, from.host, from.process, from.label};
}

} // namespace

void pending_query::complete(error_code result, std::vector<participant> line) {
    auto done = std::exchange(waiting, std::nullopt);
    if (!done)
        return;
    if (auto* const asked = std::get_if<with_limit>(&*done))
        std::move(*asked).complete(result, result ? 0 : of_semaphore()->limit());
    else if (auto* const listing = std::get_if<with_names>(&*done))
        std::move(*listing).complete(result, std::get<protocol::path_read>(what).found().children);
    else if (auto* const probing = std::get_if<with_access>(&*done))
        std::move(*probing).complete(result, std::get<protocol::access_probe>(what).take());
    else if (auto* const reading = std::get_if<with_value>(&*done))
        std::move(*reading).complete(result, to_value(std::get<protocol::path_read>(what).found()));
    else if (auto* const awaiting = std::get_if<with_request>(&*done))
        std::move(*awaiting).complete(result,
                                      to_request(std::get<protocol::yield_wait>(what).found()));
    else if (auto* const surveying = std::get_if<with_line>(&*done))
        std::move(*surveying).complete(result, std::move(line));
    else
        std::move(std::get<plain>(*done)).complete(result);
}

void session_queries::ask(operation_id id) {
    const auto query = open_.find(id);
    if (!query)
        return; // cancelled
    query->is_asked = true;
    if (query->of_line())
        return ask_for_line(id);
    const auto* const semaphore = query->of_semaphore();
    of_.driver_->drive([&](auto& machine, auto now) {
        if (semaphore && semaphore->needs_path())
            machine.look_up_path(
                now, id,
                {.path = semaphore->path(), .permits = 1, .stated_limit = semaphore->limit()},
                query->began);
        else
            machine.inquire(now, id, query->question(), query->began);
    });
}

void session_queries::ask_for_line(operation_id id) {
    auto& survey = *open_.find(id)->of_line();
    const auto end = survey.deadline();
    for (const auto& question : survey.next()) {
        if (!open_.contains(id))
            return; // the session is closed, and said so to the question before
        const auto inquiry = of_.next_id();
        questions_.emplace(inquiry, std::pair(id, question.number));
        of_.driver_->drive([&](auto& machine, auto now) {
            machine.inquire(now, inquiry, question.what, {}, end);
        });
    }
}

// The machine is at work here: what is asked next is asked in a turn of its own.
void session_queries::on_answer(protocol::inquiry_id inquiry, const protocol::reply& answer) {
    if (const auto question = questions_.extract(inquiry)) {
        const auto [id, number] = question.mapped();
        auto& survey = *open_.find(id)->of_line();
        survey.on_answer(number, answer);
        if (survey.over() || survey.has_next())
            go_on(id);
    } else if (const auto query = open_.find(inquiry); query && query->is_asked) {
        std::visit([&](auto& each) { each.on_answer(answer); }, query->what);
        go_on(inquiry);
    }
}

void session_queries::on_inquiry_failed(protocol::inquiry_id inquiry, protocol::failure why) {
    const auto question = questions_.find(inquiry);
    const auto id = question == questions_.end() ? inquiry : question->second.first;
    if (open_.contains(id))
        end(id, why, protocol::zookeeper_code::ok);
}

bool session_queries::on_looked_up(protocol::inquiry_id lookup, protocol::failure why,
                                   protocol::zookeeper_code code) {
    const auto query = open_.find(lookup);
    if (!query)
        return false;
    query->of_semaphore()->on_path(why, code); // nothing else needs the path made
    go_on(lookup);
    return true;
}

void session_queries::go_on(operation_id id) {
    auto& query = *open_.find(id);
    const auto go = [&](const auto& what) {
        if (what.over())
            return end(id, what.why(), what.code());
        query.is_asked = what.awaits();
        if (!query.is_asked)
            of_.ask_later(id);
    };
    std::visit(go, query.what);
}

void session_queries::end(operation_id id, protocol::failure why, protocol::zookeeper_code code) {
    forget_questions(id); // those that are open fail for the same reason, which is not heard
    auto& ending = *open_.find(id);
    std::vector<participant> line;
    if (why != protocol::failure::none) {
        of_.explain(ending.diag(), why, code);
        if (ending.asks_for_acquire() && why != protocol::failure::cancelled)
            of_.warn_of_denial(ending.of->path, to_error_code(why, code));
    } else if (const auto* const semaphore = ending.of_semaphore();
               semaphore && semaphore->is_set()) {
        ending.of->limit_set = semaphore->limit();
    } else if (auto* const survey = ending.of_line()) {
        line = survey->take();
        for (auto& each : line)
            each.handles = of_.driver_->machine().kinds().sharers_of(survey->path(), each.node);
    }
    if (ending.question().watch)
        of_.stop_later(id);
    open_.complete(id, to_error_code(why, code), std::move(line));
}

std::vector<protocol::inquiry_id> session_queries::forget_questions(operation_id id) {
    std::vector<protocol::inquiry_id> open;
    std::erase_if(questions_, [&](const auto& each) {
        const bool own = each.second.first == id;
        if (own)
            open.push_back(each.first);
        return own;
    });
    return open;
}

bool session_queries::cancel(operation_id id) {
    auto* const query = open_.find(id);
    if (!query)
        return false;
    if (auto* const yield = std::get_if<protocol::yield_request>(&query->what)) {
        const bool awaits = yield->awaits();
        if (yield->take_back()) { // it stays until its node is gone
            query->complete(boost::asio::error::operation_aborted, {});
            if (awaits) // else an answer is open, or a question is about to be asked
                ask(id);
            return true;
        }
    }
    auto questions = forget_questions(id);
    questions.push_back(id); // that ends it, if a question is open
    for (const auto inquiry : questions)
        of_.driver_->drive([&](auto& machine, auto now) { machine.cancel(now, inquiry); });
    open_.complete(id, boost::asio::error::operation_aborted, {});
    return true;
}

void session_queries::cancel_group(operation_id group) {
    for (const auto id : open_.members(group))
        cancel(id);
}

void session_queries::end_group(operation_id lock, const error_code& why) {
    for (const auto id : open_.members(lock)) {
        of_.stop_later(id);
        open_.complete(id, why, {});
    }
}

void session_queries::await_anew(operation_id lock, const protocol::yield_wait& what) {
    for (const auto id : open_.members(lock)) {
        auto& query = *open_.find(id);
        query.what = what;
        query.began = lease_clock::now();
        of_.ask_later(id);
    }
}

} // namespace turnstile::detail
