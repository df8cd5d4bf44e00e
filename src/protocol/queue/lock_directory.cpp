// SPDX-License-Identifier: BSL-1.0
#include "protocol/queue/lock_directory.hpp"

#include "protocol/lease/lease_plan.hpp"
#include "protocol/names/lock_path.hpp"
#include "protocol/names/ticket_name.hpp"

#include <limits>
#include <vector>

namespace turnstile::protocol {

namespace {

// Rounds of "it is not there" and "it is there already" before the path counts as unstable.
constexpr std::size_t most_rounds = 16;

std::vector<std::string> with_parents(const std::string& path) {
    auto all = parents_of(path);
    all.push_back(path);
    return all;
}

} // namespace

void lock_directory::on_found(std::int64_t incarnation) {
    if (incarnation_ != incarnation)
        highest_ = no_writer_up_to_ = -1;
    incarnation_ = incarnation;
}

void lock_directory::on_found(const lock_directory& by) {
    on_found(*by.incarnation_);
    if (by.is_own())
        made_ = by.made_;
}

void lock_directory::on_vanished() {
    incarnation_.reset();
    highest_ = no_writer_up_to_ = -1;
}

void lock_directory::find() {
    if (asking_ || !context_.requests.connected())
        return;
    asking_ = true;
    rounds_ = 0;
    ask();
}

void lock_directory::ask() {
    if (++rounds_ > most_rounds)
        return fail(failure::path_unstable, zookeeper_code::no_node);
    if (context_.options.directories != acl::rule::open)
        compare_rights();
    // `get`, for `exists` asks for no permission: a session that may not read here would enqueue,
    // and could not find its ticket again after a connection loss.
    context_.requests.send({.op = operation::get, .path = path_},
                           [this](const reply& answer) { on_read(answer); });
}

void lock_directory::compare_rights() {
    context_.requests.send({.op = operation::get_acl, .path = path_},
                           [&events = context_.events, path = path_](const reply& answer) {
                               if (answer.gives_more)
                                   events.on_note(
                                       log_level::warning,
                                       "others have rights at " + path +
                                           " that this session's acl does not give: somebody else "
                                           "made that node, and they can end its locks. Change its "
                                           "ACL, or lock another path");
                           });
}

void lock_directory::ask_later() {
    context_.ask_later(again_, [this] {
        rounds_ = 0;
        ask();
    });
}

void lock_directory::on_read(const reply& answer) {
    using enum zookeeper_code;
    switch (answer.code) {
    case ok:
        // Each enqueue sets the data to nothing: data of somebody else would be lost.
        return answer.data.empty() ? succeed(answer.stat)
                                   : fail(failure::path_has_data, answer.code);
    case no_node:
        if (!makes_path_)
            return fail(failure::path_unstable, answer.code);
        return context_.options.directories == acl::rule::creator_all ? prove_owner() : make();
    case throttled:
        return ask_later();
    default:
        if (!outcome_unknown(answer.code))
            fail(failure_of_read(answer.code), answer.code);
    }
}

// The ACL is of this session's identity, by a digest that the servers may not know: then no session
// could use what is made, nor delete it. So a transaction that never succeeds makes each node and
// checks it, which needs READ on it. The first node that is missing shows whose it would be.
void lock_directory::prove_owner() {
    constexpr auto impossible = std::numeric_limits<std::int32_t>::max();
    refusal_ = failure::none;
    was_throttled_ = false;
    for (const auto& each : with_parents(path_))
        context_.requests.send(
            {.op = operation::transact,
             .path = each,
             .steps = {{.what = step_kind::create, .path = each},
                       {.what = step_kind::check, .path = each, .version = impossible}}},
            [this, last = each == path_](const reply& answer) {
                if (outcome_unknown(answer.code))
                    return;
                was_throttled_ |= answer.code == zookeeper_code::throttled;
                if (answer.results.size() == 2 && answer.results[1].code == zookeeper_code::no_auth)
                    refusal_ = failure::owner_unknown;
                if (last && was_throttled_)
                    ask_later();
                else if (last && refusal_ == failure::none)
                    make();
                else if (last)
                    fail(refusal_, answer.code);
            });
}

// All nodes are made in one flight: a parent that exists is no failure, and the last reply decides.
void lock_directory::make() {
    refusal_ = failure::none;
    was_throttled_ = false;
    const auto all = with_parents(path_);
    for (const auto& each : all)
        context_.requests.send(
            {.op = operation::create_container, .path = each},
            [this, first = each == all.front(), last = each == path_](const reply& answer) {
                if (first && answer.code == zookeeper_code::no_node)
                    refusal_ = failure::no_chroot;
                else if (answer.code == zookeeper_code::no_auth)
                    refusal_ = failure::create_denied;
                was_throttled_ |= answer.code == zookeeper_code::throttled;
                if (last)
                    on_made(answer);
            });
}

void lock_directory::on_made(const reply& answer) {
    using enum zookeeper_code;
    if (was_throttled_ && answer.code != ok)
        return ask_later();
    switch (answer.code) {
    case ok:
        made_ = answer.stat.czxid;
        return succeed(answer.stat);
    case node_exists:
    case no_node:
        if (refusal_ == failure::no_chroot)
            return fail(refusal_, answer.code);
        if (refusal_ == failure::create_denied && answer.code == no_node) // of a parent
            return fail(refusal_, no_auth);
        return ask();
    case no_auth:
        return fail(failure::create_denied, answer.code);
    default:
        if (!outcome_unknown(answer.code))
            fail(failure::server_error, answer.code);
    }
}

void lock_directory::succeed(const node_stat& there) {
    asking_ = false;
    on_found(there.czxid);
    key_ = {there.czxid, there.ctime, path_};
    ready_();
}

void lock_directory::fail(failure why, zookeeper_code code) {
    asking_ = false;
    failed_(why, code);
}

void lock_directory::restart_counter() {
    if (highest_ < sequence_high || !makes_path_ || restarting_ || !context_.requests.connected())
        return;
    restarting_ = true;
    context_.requests.send({.op = operation::remove, .path = path_}, [this](const reply& answer) {
        restarting_ = false;
        if (answer.code == zookeeper_code::ok)
            on_vanished();
    });
}

} // namespace turnstile::protocol
