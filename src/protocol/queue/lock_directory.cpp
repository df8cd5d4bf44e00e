// SPDX-License-Identifier: BSL-1.0
#include "protocol/queue/lock_directory.hpp"

#include "protocol/names/lock_path.hpp"

#include <limits>

namespace turnstile::protocol {

namespace {

// Rounds of "it is not there" and "it is there already" before the path counts as unstable.
constexpr std::size_t most_rounds = 16;

} // namespace

void lock_directory::found(std::int64_t incarnation) {
    if (incarnation_ != incarnation)
        highest_ = clear_ = -1;
    incarnation_ = incarnation;
}

void lock_directory::found(const lock_directory& by) {
    found(*by.incarnation_);
    if (by.is_own())
        made_ = by.made_;
}

void lock_directory::vanished() {
    incarnation_.reset();
    highest_ = clear_ = -1;
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
    if (context_.options.limits_rights)
        context_.requests.send(
            {.op = operation::get_acl, .path = path_},
            [&events = context_.events, path = path_](const reply& answer) {
                if (answer.gives_more)
                    events.on_note(note_level::warning,
                                   "others have rights at " + path +
                                       " that this session's acl does not give: somebody else "
                                       "made that node, and they can end its locks. Change its "
                                       "ACL, or lock another path");
            });
    // `get`, for `exists` asks for no permission: who may not read here would enqueue, and could
    // not find its ticket again after a connection loss.
    context_.requests.send({.op = operation::get, .path = path_}, [this](const reply& answer) {
        if (outcome_unknown(answer.code) || !asking_)
            return;
        // Each enqueue sets the data to nothing: somebody else's is lost.
        if (answer.code == zookeeper_code::ok && !answer.data.empty())
            return fail(failure::path_has_data, answer.code);
        if (answer.code == zookeeper_code::ok) {
            asking_ = false;
            found(answer.stat.czxid);
            key_ = {answer.stat.czxid, answer.stat.ctime};
            return ready_();
        }
        if (answer.code == zookeeper_code::no_node && !is_made_)
            return fail(failure::path_unstable, answer.code);
        if (answer.code == zookeeper_code::no_node)
            return context_.options.owns_directories ? prove_owner() : make();
        if (answer.code == zookeeper_code::no_auth)
            return fail(failure::read_denied, answer.code);
        fail(failure::server_error, answer.code);
    });
}

// The ACL is of this session's identity, by a digest that the servers may not know: then nobody
// could use what is made, nor delete it. So a transaction that never succeeds makes each node and
// checks it, which needs READ on it. The first that is missing shows whose it would be.
void lock_directory::prove_owner() {
    constexpr auto impossible = std::numeric_limits<std::int32_t>::max();
    owner_unknown_ = false;
    auto all = parents_of(path_);
    all.push_back(path_);
    for (const auto& each : all)
        context_.requests.send(
            {.op = operation::transact,
             .path = each,
             .steps = {{.what = step_kind::create, .path = each},
                       {.what = step_kind::check, .path = each, .version = impossible}}},
            [this, last = each == path_](const reply& answer) {
                if (outcome_unknown(answer.code) || !asking_)
                    return;
                owner_unknown_ |=
                    answer.results.size() == 2 && answer.results[1].code == zookeeper_code::no_auth;
                if (!last)
                    return;
                if (owner_unknown_)
                    return fail(failure::owner_unknown, answer.code);
                make();
            });
}

void lock_directory::make() {
    root_missing_ = parent_denied_ = false;
    bool first = true;
    // All in one flight: parents that exist answer so, and only the last reply decides.
    for (const auto& parent : parents_of(path_)) {
        context_.requests.send({.op = operation::create_container, .path = parent},
                               [this, first](const reply& answer) {
                                   if (first && answer.code == zookeeper_code::no_node)
                                       root_missing_ = true;
                                   parent_denied_ |= answer.code == zookeeper_code::no_auth;
                               });
        first = false;
    }
    context_.requests.send({.op = operation::create_container, .path = path_},
                           [this, first](const reply& answer) {
                               if (first && answer.code == zookeeper_code::no_node)
                                   root_missing_ = true;
                               on_made(answer);
                           });
}

void lock_directory::on_made(const reply& answer) {
    if (outcome_unknown(answer.code) || !asking_)
        return;
    using enum zookeeper_code;
    switch (answer.code) {
    case ok:
        asking_ = false;
        made_ = answer.stat.czxid;
        found(made_);
        key_ = {made_, answer.stat.ctime};
        return ready_();
    case node_exists:
    case no_node:
        if (root_missing_)
            return fail(failure::no_chroot, answer.code);
        if (parent_denied_ && answer.code == no_node)
            return fail(failure::create_denied, no_auth);
        return ask();
    case no_auth:
        return fail(failure::create_denied, answer.code);
    default:
        return fail(failure::server_error, answer.code);
    }
}

void lock_directory::fail(failure why, zookeeper_code code) {
    asking_ = false;
    failed_(why, code);
}

void lock_directory::restart_counter() {
    if (highest_ < sequence_high || !is_made_ || restarting_ || !context_.requests.connected())
        return;
    restarting_ = true;
    context_.requests.send({.op = operation::remove, .path = path_}, [this](const reply& answer) {
        restarting_ = false;
        if (answer.code == zookeeper_code::ok)
            vanished();
    });
}

} // namespace turnstile::protocol
