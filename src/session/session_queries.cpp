// SPDX-License-Identifier: BSL-1.0
#include "session/session_queries.hpp"

#include "protocol/inspect/access_probe.hpp"
#include "protocol/inspect/line_survey.hpp"
#include "protocol/inspect/path_read.hpp"
#include "protocol/inspect/ticket_removal.hpp"
#include "protocol/names/ticket_data.hpp"
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

} // namespace

void session_queries::ask(operation_id id, std::optional<protocol::instant> end) {
    if (const auto* const query = open_.find(id)) // else it was cancelled
        of_.driver_->drive([&, what = query->what](auto& machine, auto now) {
            machine.inquire(now, id, what, end);
        });
}

// The machine is at work here, or may be.
void session_queries::on_answer(protocol::inquiry_id inquiry, const protocol::path_question& what) {
    auto* const query = open_.find(inquiry);
    if (!query || query->what.get() != &what)
        return;
    if (!what.over())
        return query->news();
    const auto reason = to_error_code(what.why(), what.code());
    if (reason && query->done)
        of_.explain(query->diag, what.why(), what.code());
    else if (reason && what.why() != protocol::failure::cancelled)
        of_.warn_of_denial(query->path, reason);
    open_.complete(inquiry, reason);
}

bool session_queries::cancel(operation_id id) {
    auto* const query = open_.find(id);
    if (!query)
        return false;
    query->complete(boost::asio::error::operation_aborted);
    of_.driver_->drive([&](auto& machine, auto now) { machine.cancel(now, id); });
    return true;
}

void session_queries::cancel_group(operation_id group) {
    for (const auto id : open_.members(group))
        cancel(id);
}

void session_queries::end_group(operation_id lock, const error_code& why) {
    for (const auto id : open_.members(lock)) {
        of_.stop_later(id);
        open_.complete(id, why);
    }
}

void session_queries::await_anew(operation_id lock, const protocol::yield_wait& what) {
    for (const auto id : open_.members(lock)) {
        open_.find(id)->what = std::make_shared<protocol::yield_wait>(what);
        of_.ask_later(id);
    }
}

// ---- the operations of the session ----

// `take` gets from the question what the operation was to find out.
template <class Question, class... Results, class Take>
void session_impl::ask(operation_id id, pending_operation<error_code, Results...>&& pending,
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
    queries_.begin(id, {std::make_shared<Question>(std::move(what)), {}, done, diag}, group, end);
}

void session_impl::participants(const lock_object& of, std::size_t most,
                                std::optional<protocol::duration> limit,
                                handler<std::vector<participant>>&& done) {
    std::optional<protocol::instant> end;
    if (limit)
        end = lease_clock::now() + *limit;
    begin(of.request.path, refusal_of_work(of.bad), std::move(done),
          [of = of.record, most, end](auto& impl, auto id, auto pending) {
              const auto line_of = [&impl, of](auto& survey) {
                  auto line = survey.take();
                  for (auto& each : line)
                      each.handles =
                          impl.driver_->machine().kinds().sharers_of(of->path, each.node);
                  return line;
              };
              impl.ask(id, std::move(pending), of->group, protocol::line_survey(of->path, most),
                       line_of, end);
          });
}

void session_impl::evict(const lock_object& of, const participant& which, const fault& bad,
                         handler<>&& done) {
    begin(of.request.path, refusal_of_work(of.bad.code ? of.bad : bad), std::move(done),
          [of = of.record, which](auto& impl, auto id, auto pending) {
              impl.ask(id, std::move(pending), of->group, protocol::ticket_removal(of->path, which),
                       [](const auto&) {});
          });
}

void session_impl::change(const lock_object& of, protocol::semaphore_change what, const fault& bad,
                          handler<>&& done) {
    if (options_.acl.directories == acl::rule::creator_all)
        what.makes_owned();
    begin(of.request.path, refusal_of_work(of.bad.code ? of.bad : bad), std::move(done),
          [of = of.record, what](auto& impl, auto id, auto pending) {
              impl.ask(id, std::move(pending), of->group, what, [of](const auto& changed) {
                  if (changed.is_set())
                      of->limit_set = changed.limit();
              });
          });
}

void session_impl::ask_limit(const lock_object& of, handler<std::uint32_t>&& done) {
    begin(of.request.path, refusal_of_work(of.bad), std::move(done),
          [of = of.record](auto& impl, auto id, auto pending) {
              impl.ask(id, std::move(pending), of->group,
                       protocol::semaphore_change::reads(of->path),
                       [](const auto& read) { return read.limit(); });
          });
}

// The machine is at work. A reader that joins the ticket of another asks nobody.
void session_impl::ask_those_before(protocol::ticket_id ticket) {
    auto* const waiting = acquires_.find(ticket);
    if (!waiting || !waiting->asks || waiting->asking)
        return;
    const auto id = next_id();
    waiting->asking = id;
    enter([ticket, id, of = waiting->of, reason = *waiting->asks](session_impl& impl) {
        if (!impl.acquires_.contains(ticket))
            return;
        const auto what = impl.driver_->request_to_yield(id, of->path, reason, ticket);
        impl.queries_.begin(id, {std::make_shared<protocol::yield_request>(what), of->path},
                            of->group);
    });
}

void session_impl::stop_asking(const pending_acquire& ending) {
    if (ending.asking)
        enter([id = *ending.asking](session_impl& impl) { impl.queries_.cancel(id); });
}

void session_impl::ask_to_yield(const lock_object& of, const std::string& reason,
                                handler<>&& done) {
    begin(of.request.path, refusal_of_work(of.bad), std::move(done),
          [reason, of = of.record](auto& impl, auto id, auto pending) {
              impl.ask(id, std::move(pending), of->group,
                       impl.driver_->request_to_yield(id, of->path, reason), [](const auto&) {});
          });
}

namespace {

protocol::path_read read_of(const std::string& path, protocol::operation how) {
    return protocol::path_read({.op = how, .path = path});
}

// The chroot has children too.
fault check_node(const std::string& path) { return path == "/" ? fault() : check_path(path); }

} // namespace

void session_impl::children(const std::string& path, handler<std::vector<std::string>>&& done) {
    begin(path, refusal_of_work(check_node(path)), std::move(done),
          [path](auto& impl, auto id, auto pending) {
              impl.ask(id, std::move(pending), 0, read_of(path, protocol::operation::get_children),
                       [](const auto& read) { return read.found().children; });
          });
}

void session_impl::read(const std::string& path, handler<node_value>&& done) {
    begin(path, refusal_of_work(check_path(path)), std::move(done),
          [path](auto& impl, auto id, auto pending) {
              impl.ask(id, std::move(pending), 0, read_of(path, protocol::operation::get),
                       [](const auto& read) { return to_public(read.found()); });
          });
}

void session_impl::access(const std::string& path, handler<path_access>&& done) {
    begin(path, refusal_of_work(check_node(path)), std::move(done),
          [path](auto& impl, auto id, auto pending) {
              const bool compares = impl.options_.acl.directories != acl::rule::open;
              impl.ask(id, std::move(pending), 0, protocol::access_probe(path, compares),
                       [](auto& probe) { return probe.take(); });
          });
}

void session_impl::wait_yield(const std::vector<std::shared_ptr<ticket_lock>>& locks,
                              handler<yield_request>&& done) {
    fault bad = refusal_of_work();
    if (!bad.code && locks.size() > 1)
        bad = {boost::asio::error::operation_not_supported, "a multi_lock is not asked for"};
    const auto& lock = locks.front();
    begin(lock->of()->path, bad, std::move(done), [lock](auto& impl, auto id, auto pending) {
        impl.ask(id, std::move(pending), lock->id(), impl.yield_question_of(*lock),
                 [](const auto& wait) { return to_public(wait.found()); });
    });
}

void session_impl::follow_leader(const lock_object& of, const std::optional<leader_info>& known,
                                 handler<leader_info>&& done) {
    begin(of.request.path, refusal_of_work(of.bad), std::move(done),
          [of = of.record, known](auto& impl, auto id, auto pending) {
              const auto group = of->group;
              const bool follows = impl.leaders_.follows(group);
              if (!follows && !known)
                  return impl.ask(id, std::move(pending), group,
                                  protocol::leader_watch(of->path, false),
                                  [](const auto& watch) { return to_public(*watch.found()); });
              impl.leaders_.await(group, known, id, std::move(pending));
              if (follows)
                  return;
              const auto watch = std::make_shared<protocol::leader_watch>(of->path, true);
              const auto news = [&impl, group, &now = watch->found()] {
                  impl.leaders_.on_leader(group, to_public(*now));
              };
              const auto end = [&impl, group](auto why, auto&) { impl.leaders_.end(group, why); };
              impl.queries_.begin(impl.next_id(), {watch, {}, end, nullptr, news}, group);
          });
}

} // namespace turnstile::detail
