// SPDX-License-Identifier: BSL-1.0
#include "session/session_writes.hpp"

#include "session/session_impl.hpp"
#include "session/values/failure_codes.hpp"

#include <turnstile/held_lock.hpp>

#include <boost/asio/error.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>

namespace turnstile::detail {

namespace asio = boost::asio;

namespace {

// The kinds of a node_write, in their order, as the protocol calls them.
protocol::transaction_step to_step(const node_write& from) {
    using enum protocol::step_kind;
    constexpr std::array kinds{create, set, remove, check};
    return {kinds.at(static_cast<std::size_t>(from.what)), from.path, from.data, from.version};
}

// Why these writes are refused under these locks; no code: they are not.
fault fault_of(const std::vector<node_write>& writes,
               const std::vector<std::shared_ptr<ticket_lock>>& locks) {
    const auto invalid = [](std::string text) {
        return fault{asio::error::invalid_argument, std::move(text)};
    };
    for (const auto& write : writes) {
        if (const auto bad = check_path(write.path); bad.code)
            return invalid(write.path + ": " + bad.text);
        if (write.version < node_write::any_version)
            return invalid(write.path + ": the version is below -1");
        for (const auto& lock : locks)
            if ((write.path + '/').starts_with(lock->record()->path + '/'))
                return invalid(write.path + ": what is at a lock path belongs to the lock");
    }
    for (const auto& lock : locks) {
        if (lock->session() != locks.front()->session())
            return invalid("the parts of the multi_lock are of several sessions");
        if (lock->record()->is_single_node)
            return {asio::error::operation_not_supported,
                    lock->record()->path + ": a single_node_mutex guards no writes; take a mutex"};
    }
    return {};
}

// Only the one lock that a program holds alone makes a leader, who may proclaim.
fault fault_of_proclaim(const std::vector<std::shared_ptr<ticket_lock>>& locks) {
    const auto refused = [](std::string text) {
        return fault{asio::error::operation_not_supported, std::move(text)};
    };
    const auto& one = *locks.front()->record();
    if (locks.size() > 1)
        return refused("a multi_lock is no leadership; take the lock of one part");
    if (one.is_semaphore)
        return refused(one.path + ": a permit is no leadership; take an election or a mutex");
    return fault_of({}, locks);
}

error_code code_of_step(protocol::zookeeper_code code) {
    return code == protocol::zookeeper_code::ok
               ? error_code()
               : to_error_code(protocol::failure::server_error, code);
}

// The error code of a guarded write that was answered. No code: it was carried out.
error_code code_of_write(const protocol::guarded_write& what, protocol::zookeeper_code code) {
    if (protocol::outcome_unknown(code))
        return error::outcome_unknown;
    // A proclamation is sent as a set, and again as a create if its node is missing. So the form
    // that was sent last shows which right is missing.
    if (what.makes && code == protocol::zookeeper_code::no_auth)
        return what.steps[0].what == protocol::step_kind::set ? error::write_denied
                                                              : error::create_denied;
    return code_of_step(code);
}

// Says which step of a guarded write was refused, if the server names it.
void describe_refused_step(const protocol::guarded_write& what, const protocol::reply& answer,
                           diagnostics& out) {
    const auto refused = protocol::failed_step(answer);
    if (refused >= answer.results.size())
        return;
    constexpr std::array names{"check", "set", "remove", "create"}; // in the order of step_kind
    const auto& [kind, path, data, version] = what.steps[refused];
    out.path = path;
    out.cause = std::string(names.at(static_cast<std::size_t>(kind))) + " of " + path +
                (version == -1 ? "" : ", version " + std::to_string(version)) + ": write " +
                std::to_string(refused + 1) + " of " + std::to_string(answer.results.size()) +
                " was refused";
}

} // namespace

void session_writes::send(operation_id id, pending_write&& write,
                          std::vector<protocol::transaction_step> steps, bool makes) {
    protocol::guarded_write what{.steps = std::move(steps), .makes = makes};
    for (const auto& lock : write.locks)
        what.locks.push_back(lock->id());
    waiting_.add(id, std::move(write));
    hand_over(id, what);
}

void session_writes::hand_over(operation_id id, const protocol::guarded_write& what) {
    if (waiting_.contains(id)) // else it was cancelled
        session_.driver().drive([&](auto& machine, auto now) { machine.write(now, id, what); });
}

void session_writes::on_written(protocol::inquiry_id id, const protocol::guarded_write& what,
                                protocol::failure why, const protocol::reply& answer) {
    auto& write = *waiting_.find(id);
    // If one of its locks was lost, the loss says why.
    for (const auto& lock : write.locks)
        if (why == protocol::failure::not_held && lock->loss() != protocol::failure::none)
            why = lock->loss();
    // The write was not sent. It waits as long as its locks are held: `unreachable_limit` is not
    // for it. So the machine gets it once more.
    if (why == protocol::failure::unreachable &&
        std::ranges::none_of(write.locks, [this](const auto& lock) {
            return session_.locks().why_over(*lock).failed();
        }))
        return session_.enter([this, id, what] { hand_over(id, what); });
    if (why != protocol::failure::none) {
        session_.explain(write.diag(), why);
        waiting_.complete(id, to_error_code(why), {});
        return;
    }
    std::vector<node_result> results;
    for (const auto& each : answer.results)
        results.push_back({.failed = code_of_step(each.code), .version = each.stat.version});
    const auto failed = code_of_write(what, answer.code);
    if (failed) {
        session_.explain(write.diag(), protocol::failure::server_error, answer.code);
        if (auto* const diag = write.diag())
            describe_refused_step(what, answer, *diag);
    }
    waiting_.complete(id, failed, std::move(results));
}

void session_writes::cancel(operation_id id) {
    if (!waiting_.contains(id))
        return;
    session_.driver().drive([&](auto& machine, auto now) { machine.cancel(now, id); });
    waiting_.complete(id, asio::error::operation_aborted, {}); // if it was about to be sent again
}

} // namespace turnstile::detail

namespace turnstile {

void held_lock::start_guarded(const state_ptr& state, const node_writes& writes,
                              write_handler done) {
    const auto under = state->tickets();
    auto& session = *under.front()->session();
    std::vector<protocol::transaction_step> steps(writes.all().size());
    std::ranges::transform(writes.all(), steps.begin(), detail::to_step);
    session.begin(
        under.front()->record()->path,
        session.refusal_of_work(detail::fault_of(writes.all(), under)), std::move(done),
        [&session, under, steps = std::move(steps)](auto id, auto pending) {
            session.writes().send(id, {std::move(pending), under}, steps, false);
        },
        detail::effect::when_sent);
}

void held_lock::start_proclaim(const state_ptr& state, const std::string& value, handler done) {
    const auto under = state->tickets();
    auto& session = *under.front()->session();
    const auto& path = under.front()->record()->path;
    session.begin(
        path, session.refusal_of_work(detail::fault_of_proclaim(under)), std::move(done),
        [&session, under, path, value](auto id, auto pending) {
            // The first proclamation makes the node.
            session.writes().send(
                id, {std::move(pending), under},
                {{.what = protocol::step_kind::set,
                  .path = protocol::proclamation_node_of(path),
                  .data = protocol::proclamation_of(under.front()->token().czxid(), value)}},
                true);
        },
        detail::effect::when_sent);
}

} // namespace turnstile
