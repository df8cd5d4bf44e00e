// SPDX-License-Identifier: BSL-1.0
#include "session/session_queries.hpp"

#include "protocol/inspect/access_probe.hpp"
#include "protocol/inspect/line_survey.hpp"
#include "protocol/inspect/path_read.hpp"
#include "protocol/inspect/ticket_removal.hpp"
#include "protocol/names/ticket_data.hpp"
#include "protocol/yield/yield_request.hpp"
#include "protocol/yield/yield_wait.hpp"
#include "session/session_impl.hpp"
#include "session/values/failure_codes.hpp"

#include <turnstile/election.hpp>
#include <turnstile/held_lock.hpp>
#include <turnstile/path_lock.hpp>
#include <turnstile/semaphore.hpp>
#include <turnstile/session.hpp>

#include <boost/asio/error.hpp>

#include <chrono>
#include <utility>

namespace turnstile::detail {

// ---- on the strand ----

void session_queries::begin(operation_id id, pending_query&& asked, operation_id group,
                            std::optional<protocol::instant> end) {
    open_.add(id, std::move(asked), group);
    hand_to_machine(id, end);
}

void session_queries::hand_to_machine(operation_id id, std::optional<protocol::instant> end) {
    if (const auto* const query = open_.find(id)) // else it was cancelled
        session_.driver().drive([&, what = query->what](auto& machine, auto now) {
            machine.inquire(now, id, what, end);
        });
}

// The machine calls it while it is at work: nothing here may call the machine at once.
void session_queries::on_answer(protocol::inquiry_id inquiry, const protocol::path_question& what) {
    auto* const query = open_.find(inquiry);
    if (!query)
        return;
    if (!what.over())
        return query->on_news();
    const auto reason = to_error_code(what.why(), what.code());
    const bool was_ended_here = what.why() == protocol::failure::cancelled ||
                                what.why() == protocol::failure::session_closed;
    if (reason && query->done)
        session_.explain(query->diag, what.why(), what.code());
    else if (reason && query->is_for_acquire() && !was_ended_here)
        session_.reports().log(log_level::warning, [&] {
            return "the holder of " + query->path +
                   " cannot be asked to let go: " + reason.message();
        });
    open_.complete(inquiry, reason);
}

void session_queries::cancel(operation_id id) {
    const error_code aborted = boost::asio::error::operation_aborted;
    leaders_.cancel(id, aborted);
    if (auto* const query = open_.find(id)) {
        query->complete(aborted); // it stays until the machine has taken back what it made (Y4)
        session_.driver().drive([&](auto& machine, auto now) { machine.cancel(now, id); });
    }
}

void session_queries::cancel_group(operation_id group) {
    for (const auto id : open_.members(group))
        cancel(id);
}

void session_queries::end_group(operation_id lock, const error_code& why) {
    for (const auto id : open_.members(lock)) {
        session_.enter([this, id] {
            session_.driver().drive([&](auto& machine, auto now) { machine.cancel(now, id); });
        });
        open_.complete(id, why);
    }
}

void session_queries::drop_all() noexcept {
    const auto open = open_.take();
    const auto leaders = leaders_.take();
}

// ---- operations, and ask(), by which they begin ----

template <class Question, class... Results, class Take>
void session_queries::ask(operation_id id, pending_operation<error_code, Results...>&& pending,
                          operation_id group, Question what, Take take,
                          std::optional<protocol::instant> end) {
    auto* const diag = pending.diag();
    const auto waiting =
        std::make_shared<pending_operation<error_code, Results...>>(std::move(pending));
    const auto done = [waiting, take](error_code why, protocol::path_question& asked) {
        auto& found = static_cast<Question&>(asked);
        if constexpr (sizeof...(Results) > 0)
            std::move(*waiting).complete(why, (why ? Results() : take(found))...);
        else {
            if (!why)
                take(found);
            std::move(*waiting).complete(why);
        }
    };
    begin(id, {.what = std::make_shared<Question>(std::move(what)), .done = done, .diag = diag},
          group, end);
}

template <class Question, class... Results, class Take>
void session_queries::start(const question_terms& how, handler<Results...>&& done, Question what,
                            Take take) {
    session_.begin(
        how.path, session_.refusal_of_work(how.bad), std::move(done),
        [this, how, what = std::move(what), take](auto id, auto pending) {
            this->ask(id, std::move(pending), how.group, what, take, how.end);
        },
        how.left);
}

// The first wait with `known` opens a question that stays open. From then on it answers all waits
// of the object, also those without `known`.
void session_queries::follow_leader(const lock_object& object,
                                    const std::optional<leader_info>& known,
                                    handler<leader_info>&& done) {
    session_.begin(
        object.request.path, session_.refusal_of_work(object.bad), std::move(done),
        [this, record = object.record, known](auto id, auto pending) {
            const auto group = record->group;
            const bool follows = leaders_.follows(group);
            if (!follows && !known)
                return ask(id, std::move(pending), group,
                           protocol::leader_watch(record->path, false),
                           [](const auto& watch) { return to_public(*watch.found()); });
            leaders_.await(group, known, id, std::move(pending));
            if (follows)
                return;
            const auto watch = std::make_shared<protocol::leader_watch>(record->path, true);
            const auto news = [this, group, &now = watch->found()] {
                leaders_.on_leader(group, to_public(*now));
            };
            const auto end = [this, group](auto why, auto&) { leaders_.end(group, why); };
            begin(session_.next_id(), {.what = watch, .done = end, .on_news = news}, group);
        });
}

} // namespace turnstile::detail

namespace turnstile {

namespace {

using detail::effect;
using detail::fault;
using detail::question_terms;

node_value value_of(const protocol::reply& from) {
    return {.data = from.data,
            .version = from.stat.version,
            .changed =
                std::chrono::system_clock::time_point{std::chrono::milliseconds{from.stat.mtime}}};
}

yield_request request_of(const protocol::ticket_data& from) {
    return {from.value, from.host, from.process, from.label};
}

// What all questions about the path of a lock object have in common.
question_terms about(const detail::lock_object& object, const fault& bad = {},
                     effect left = effect::none) {
    return {.path = object.request.path,
            .group = object.record->group,
            .bad = object.bad.code ? object.bad : bad,
            .left = left};
}

// Unlike a lock path, the node may be the root of the chroot, which has children and rights, too.
question_terms about_node(const std::string& path) {
    return {.path = path, .bad = path == "/" ? fault() : detail::check_path(path)};
}

fault invalid(std::string text) { return {boost::asio::error::invalid_argument, std::move(text)}; }

protocol::path_read read_of(const std::string& path, protocol::operation how) {
    return protocol::path_read({.op = how, .path = path});
}

void start_change(const detail::lock_object& object, protocol::semaphore_change what,
                  const fault& bad, detail::erased_handler<void(error_code)>&& done) {
    if (object.session->options().acl.directories == acl::rule::creator_all)
        what.makes_owned();
    object.session->queries().start(about(object, bad, effect::when_sent), std::move(done),
                                    std::move(what), [record = object.record](const auto& changed) {
                                        if (changed.is_set())
                                            record->limit_set = changed.limit();
                                    });
}

} // namespace

void path_lock::start_survey(const object_ptr& object, std::size_t most,
                             std::optional<std::chrono::nanoseconds> limit, survey_handler done) {
    auto how = about(*object);
    if (limit)
        how.end = lease_clock::now() + *limit;
    const auto line_of = [session = object->session.get(), path = how.path](auto& survey) {
        auto line = survey.take();
        for (auto& each : line)
            each.handles = session->driver().machine().kinds().sharers_of(path, each.node);
        return line;
    };
    object->session->queries().start(how, std::move(done), protocol::line_survey(how.path, most),
                                     line_of);
}

void path_lock::start_evict(const object_ptr& object, const participant& who, plain_handler done) {
    const bool is_known = who.known == participant::knowledge::answered;
    object->session->queries().start(
        about(*object, is_known ? fault() : invalid("the participant has no details"),
              effect::when_sent),
        std::move(done), protocol::ticket_removal(object->request.path, who), [](const auto&) {});
}

void path_lock::start_ask(const object_ptr& object, const std::string& reason, plain_handler done) {
    auto& session = *object->session;
    session.begin(object->request.path, session.refusal_of_work(object->bad), std::move(done),
                  [&session, reason, record = object->record](auto id, auto pending) {
                      session.queries().ask(
                          id, std::move(pending), record->group,
                          session.driver().request_to_yield(id, record->path, reason),
                          [](const auto&) {});
                  });
}

void semaphore::start_set_limit(const object_ptr& object, std::uint32_t limit, plain_handler done) {
    const auto& path = object->request.path;
    start_change(*object, protocol::semaphore_change::sets(path, limit),
                 limit > 0 ? fault() : invalid(path + ": a limit of 0, and 1 is the least"),
                 std::move(done));
}

void semaphore::start_limit(const object_ptr& object, limit_handler done) {
    object->session->queries().start(about(*object), std::move(done),
                                     protocol::semaphore_change::reads(object->request.path),
                                     [](const auto& read) { return read.limit(); });
}

void semaphore::start_remove(const object_ptr& object, plain_handler done) {
    start_change(*object, protocol::semaphore_change::removes(object->request.path), {},
                 std::move(done));
}

void election::start_leader(const object_ptr& object, const std::optional<leader_info>& known,
                            leader_handler done) {
    object->session->queries().follow_leader(*object, known, std::move(done));
}

void held_lock::start_yield(const state_ptr& state,
                            detail::erased_handler<void(error_code, yield_request)> done) {
    const auto locks = state->tickets();
    const auto& lock = locks.front();
    auto& session = *lock->session();
    fault bad;
    if (locks.size() > 1)
        bad = {boost::asio::error::operation_not_supported, "a multi_lock is not asked for"};
    session.begin(
        lock->record()->path, session.refusal_of_work(bad), std::move(done),
        [&session, lock](auto id, auto pending) {
            if (const auto over = session.locks().why_over(*lock)) // else nothing would end it
                return std::move(pending).complete(over, yield_request());
            session.queries().ask(id, std::move(pending), lock->id(),
                                  session.driver().machine().wait_for_request(
                                      lock->record()->path, lock->id(),
                                      static_cast<std::int64_t>(lock->token().czxid())),
                                  [](const auto& wait) { return request_of(wait.found()); });
        });
}

void session::start_children(const impl_ptr& impl, const std::string& path, names_handler done) {
    impl->queries().start(about_node(path), std::move(done),
                          read_of(path, protocol::operation::get_children),
                          [](const auto& read) { return read.found().children; });
}

void session::start_read(const impl_ptr& impl, const std::string& path,
                         detail::erased_handler<void(error_code, node_value)> done) {
    impl->queries().start({.path = path, .bad = detail::check_path(path)}, std::move(done),
                          read_of(path, protocol::operation::get),
                          [](const auto& read) { return value_of(read.found()); });
}

void session::start_access(const impl_ptr& impl, const std::string& path, access_handler done) {
    const bool compares = impl->options().acl.directories != acl::rule::open;
    impl->queries().start(about_node(path), std::move(done), protocol::access_probe(path, compares),
                          [](auto& probe) { return probe.take(); });
}

} // namespace turnstile
