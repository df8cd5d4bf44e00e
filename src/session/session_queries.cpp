// SPDX-License-Identifier: BSL-1.0
#include "session/session_queries.hpp"

#include "protocol/inspect/access_probe.hpp"
#include "protocol/inspect/line_survey.hpp"
#include "protocol/inspect/path_read.hpp"
#include "protocol/inspect/ticket_removal.hpp"
#include "protocol/names/ticket_data.hpp"
#include "protocol/yield/yield_request.hpp"
#include "protocol/yield/yield_wait.hpp"
#include "session/failure_codes.hpp"
#include "session/session_impl_begin.hpp"

#include <boost/asio/error.hpp>

#include <chrono>
#include <utility>

namespace turnstile::detail {

namespace {

node_value to_public(const protocol::reply& from) {
    return {.data = from.data,
            .version = from.stat.version,
            .changed =
                std::chrono::system_clock::time_point{std::chrono::milliseconds{from.stat.mtime}}};
}

yield_request to_public(const protocol::ticket_data& from) {
    return {from.value, from.host, from.process, from.label};
}

// The question whether anybody asks the holder to yield this lock.
protocol::yield_wait question_of(session_impl& session, const ticket_lock& lock) {
    const auto& path = lock.record()->path;
    const auto nodes = session.driver().machine().kinds().nodes_of(lock.id());
    return {path, nodes.empty() ? "" : nodes.front().substr(path.size() + 1),
            static_cast<std::int64_t>(lock.token().czxid())};
}

} // namespace

// ---- on the strand ----

void session_queries::begin(operation_id id, pending_query&& asked, operation_id group,
                            std::optional<protocol::instant> end) {
    open_.add(id, std::move(asked), group);
    inquire(id, end);
}

void session_queries::inquire(operation_id id, std::optional<protocol::instant> end) {
    if (const auto* const query = open_.find(id)) // else it was cancelled
        session_.driver().drive([&, what = query->what](auto& machine, auto now) {
            machine.inquire(now, id, what, end);
        });
}

// The machine calls it while it is at work: nothing here may call the machine at once.
void session_queries::on_answer(protocol::inquiry_id inquiry, const protocol::path_question& what) {
    auto* const query = open_.find(inquiry);
    if (!query || query->what.get() != &what) // ask_anew() has replaced this question
        return;
    if (!what.over())
        return query->on_news();
    // A holder waits as long as it holds the lock, and not by the limit of other questions.
    if (what.why() == protocol::failure::unreachable && query->held &&
        !session_.locks().why_over(*query->held))
        return ask_question_anew(inquiry);
    const auto reason = to_error_code(what.why(), what.code());
    // The request to yield of an acquire has a path and no `done`: its failure is logged alone.
    if (reason && query->done)
        session_.explain(query->diag, what.why(), what.code());
    else if (reason && !query->path.empty() && what.why() != protocol::failure::cancelled &&
             what.why() != protocol::failure::session_closed)
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
        query->complete(aborted);
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

void session_queries::ask_anew(protocol::ticket_id lock) {
    for (const auto id : open_.members(lock))
        ask_question_anew(id);
}

void session_queries::ask_question_anew(operation_id id) {
    auto& query = *open_.find(id);
    query.what = std::make_shared<protocol::yield_wait>(question_of(session_, *query.held));
    session_.enter([this, id] {
        const auto* const asked = open_.find(id);
        if (asked && asked->done)
            inquire(id);
        else
            open_.complete(id, {}); // it was cancelled meanwhile
    });
}

void session_queries::drop_all() noexcept {
    const auto open = open_.take();
    const auto leaders = leaders_.take();
}

// ---- operations ----

template <class Question, class... Results, class Take>
void session_queries::ask(operation_id id, pending_operation<error_code, Results...>&& pending,
                          operation_id group, Question what, Take take,
                          std::optional<protocol::instant> end, std::shared_ptr<ticket_lock> held) {
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
    begin(id, {std::make_shared<Question>(std::move(what)), {}, done, diag, {}, std::move(held)},
          group, end);
}

void session_queries::list_participants(const lock_object& object, std::size_t most,
                                        std::optional<protocol::duration> limit,
                                        handler<std::vector<participant>>&& done) {
    std::optional<protocol::instant> end;
    if (limit)
        end = lease_clock::now() + *limit;
    session_.begin(object.request.path, session_.refusal_of_work(object.bad), std::move(done),
                   [this, record = object.record, most, end](auto id, auto pending) {
                       const auto line_of = [this, record](auto& survey) {
                           auto line = survey.take();
                           for (auto& each : line)
                               each.handles = session_.driver().machine().kinds().sharers_of(
                                   record->path, each.node);
                           return line;
                       };
                       ask(id, std::move(pending), record->group,
                           protocol::line_survey(record->path, most), line_of, end);
                   });
}

void session_queries::evict(const lock_object& object, const participant& which,
                            const fault& bad_argument, handler<>&& done) {
    session_.begin(
        object.request.path, session_.refusal_of_work(object.bad.code ? object.bad : bad_argument),
        std::move(done),
        [this, record = object.record, which](auto id, auto pending) {
            ask(id, std::move(pending), record->group,
                protocol::ticket_removal(record->path, which), [](const auto&) {});
        },
        effect::when_sent);
}

void session_queries::change(const lock_object& object, protocol::semaphore_change what,
                             const fault& bad_argument, handler<>&& done) {
    if (session_.options().acl.directories == acl::rule::creator_all)
        what.makes_owned();
    session_.begin(
        object.request.path, session_.refusal_of_work(object.bad.code ? object.bad : bad_argument),
        std::move(done),
        [this, record = object.record, what](auto id, auto pending) {
            ask(id, std::move(pending), record->group, what, [record](const auto& changed) {
                if (changed.is_set())
                    record->limit_set = changed.limit();
            });
        },
        effect::when_sent);
}

void session_queries::get_limit(const lock_object& object, handler<std::uint32_t>&& done) {
    session_.begin(object.request.path, session_.refusal_of_work(object.bad), std::move(done),
                   [this, record = object.record](auto id, auto pending) {
                       ask(id, std::move(pending), record->group,
                           protocol::semaphore_change::reads(record->path),
                           [](const auto& read) { return read.limit(); });
                   });
}

void session_queries::ask_to_yield(const lock_object& object, const std::string& reason,
                                   handler<>&& done) {
    session_.begin(object.request.path, session_.refusal_of_work(object.bad), std::move(done),
                   [this, reason, record = object.record](auto id, auto pending) {
                       ask(id, std::move(pending), record->group,
                           session_.driver().request_to_yield(id, record->path, reason),
                           [](const auto&) {});
                   });
}

namespace {

protocol::path_read read_of(const std::string& path, protocol::operation how) {
    return protocol::path_read({.op = how, .path = path});
}

// Unlike a lock path, the node may be the root of the chroot, which has children and rights, too.
fault check_node(const std::string& path) { return path == "/" ? fault() : check_path(path); }

} // namespace

void session_queries::list_children(const std::string& path,
                                    handler<std::vector<std::string>>&& done) {
    session_.begin(path, session_.refusal_of_work(check_node(path)), std::move(done),
                   [this, path](auto id, auto pending) {
                       ask(id, std::move(pending), 0,
                           read_of(path, protocol::operation::get_children),
                           [](const auto& read) { return read.found().children; });
                   });
}

void session_queries::read(const std::string& path, handler<node_value>&& done) {
    session_.begin(path, session_.refusal_of_work(check_path(path)), std::move(done),
                   [this, path](auto id, auto pending) {
                       ask(id, std::move(pending), 0, read_of(path, protocol::operation::get),
                           [](const auto& read) { return to_public(read.found()); });
                   });
}

void session_queries::check_access(const std::string& path, handler<path_access>&& done) {
    session_.begin(path, session_.refusal_of_work(check_node(path)), std::move(done),
                   [this, path](auto id, auto pending) {
                       const bool compares = session_.options().acl.directories != acl::rule::open;
                       ask(id, std::move(pending), 0, protocol::access_probe(path, compares),
                           [](auto& probe) { return probe.take(); });
                   });
}

void session_queries::wait_yield(const std::vector<std::shared_ptr<ticket_lock>>& locks,
                                 handler<yield_request>&& done) {
    fault bad = session_.refusal_of_work();
    if (!bad.code && locks.size() > 1)
        bad = {boost::asio::error::operation_not_supported, "a multi_lock is not asked for"};
    const auto& lock = locks.front();
    session_.begin(lock->record()->path, bad, std::move(done), [this, lock](auto id, auto pending) {
        if (const auto over = session_.locks().why_over(*lock)) // else nothing would end the wait
            return std::move(pending).complete(over, yield_request());
        ask(
            id, std::move(pending), lock->id(), question_of(session_, *lock),
            [](const auto& wait) { return to_public(wait.found()); }, {}, lock);
    });
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
