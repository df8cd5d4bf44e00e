// SPDX-License-Identifier: BSL-1.0
// The requests of sessions that write. The order of checks is that of a real server, and so is the
// error that a client sees. test/truth compares both.
#include "model_tree.hpp"

#include "support/replies.hpp"

#include <utility>

namespace turnstile::test {

using protocol::operation;
using protocol::reply;
using protocol::watch_event;
using protocol::zookeeper_code;

namespace {

// The answer to a transaction whose first step is denied.
reply first_denied() { return {.code = zookeeper_code::no_auth, .first_step_denied = true}; }

} // namespace

reply model_tree::write(const model_txn& txn, outcome& result) {
    const auto& what = txn.request;
    if (what.op == operation::create_container)
        return create_container(txn, result);
    if (what.op == operation::enqueue)
        return enqueue(txn, result);
    if (what.op == operation::create_holder)
        return create_holder(txn, result);
    if (what.op == operation::delete_holder)
        return delete_holder(txn, result);
    if (what.op == operation::transact)
        return transact(txn, result);
    if (what.op == operation::remove) {
        const auto answer = remove(what.path, result);
        return answer.code == zookeeper_code::no_auth ? first_denied() : answer;
    }
    if (what.op == operation::downgrade)
        return downgrade(txn, result);
    const auto found = find(what.path);
    if (!found)
        return replies::no_node();
    if (what.op == operation::check)
        return denies(model_right::read, what.path) ? first_denied() : replies::ok();
    if (what.op == operation::release)
        return release(txn, *found, result);
    if (what.op == operation::set) {
        set(what.path, txn, result);
        return {.stat = stat_of(*found)};
    }
    return replies::code(zookeeper_code::unimplemented);
}

// Carries out all steps or none. An answer names the error of the step that failed; the steps after
// it were not tried.
reply model_tree::transact(const model_txn& txn, outcome& result) {
    const auto nodes = nodes_;
    const auto sessions = sessions_;
    reply answer;
    for (const auto& step : txn.request.steps) {
        if (answer.code == zookeeper_code::ok) {
            answer.results.push_back(carry_out(step, txn, result));
            answer.code = answer.results.back().code;
        } else {
            answer.results.push_back({.code = zookeeper_code::runtime_inconsistency});
        }
    }
    if (answer.code == zookeeper_code::ok)
        return answer;
    nodes_ = nodes;
    sessions_ = sessions;
    result.events.clear();
    for (auto& each : answer.results)
        each = {.code = each.code};
    return answer;
}

protocol::step_result model_tree::carry_out(const protocol::transaction_step& step,
                                            const model_txn& txn, outcome& result) {
    using enum protocol::step_kind;
    if (step.what >= create)
        return make_of(step, txn, result);
    if (step.what == remove) {
        auto why = removable(step.path);
        if (const auto found = find(step.path);
            found && step.version != -1 && step.version != found->version &&
            (why == zookeeper_code::ok || why == zookeeper_code::not_empty))
            why = zookeeper_code::bad_version;
        if (why == zookeeper_code::ok)
            erase(step.path, result);
        return {.code = why};
    }
    const auto found = find(step.path);
    if (!found)
        return {.code = zookeeper_code::no_node};
    if (denies(step.what == check ? model_right::read : model_right::write, step.path))
        return {.code = zookeeper_code::no_auth};
    if (step.version != -1 && step.version != found->version)
        return {.code = zookeeper_code::bad_version};
    if (step.what == check)
        return {};
    auto set_txn = txn;
    set_txn.request.data = step.data;
    this->set(step.path, set_txn, result);
    return {.stat = stat_of(*found)};
}

protocol::step_result model_tree::make_of(const protocol::transaction_step& step,
                                          const model_txn& txn, outcome& result) {
    const bool sequential = step.what == protocol::step_kind::create_sequential;
    const bool ephemeral = step.what != protocol::step_kind::create;
    const auto parent = find(parent_of(step.path));
    const auto path = sequential && parent ? step.path + digits(parent->created) : step.path;
    if (const auto why = creatable(path); why != zookeeper_code::ok)
        return {.code = why};
    auto make_txn = txn;
    make_txn.request.data = step.data;
    make(path, make_txn, ephemeral ? txn.session : 0, result);
    if (ephemeral)
        sessions_.at(txn.session).insert(path);
    return {.path = path};
}

zookeeper_code model_tree::creatable(const std::string& path) const {
    const auto parent = find(parent_of(path));
    if (!parent)
        return zookeeper_code::no_node;
    if (denies(model_right::create, parent_of(path)))
        return zookeeper_code::no_auth;
    if (find(path))
        return zookeeper_code::node_exists;
    return parent->owner == 0 ? zookeeper_code::ok : zookeeper_code::no_children_for_ephemerals;
}

// The right to delete comes first: a client without it does not learn which nodes are there.
zookeeper_code model_tree::removable(const std::string& path) const {
    if (!find(parent_of(path)))
        return zookeeper_code::no_node;
    if (denies(model_right::remove, parent_of(path)))
        return zookeeper_code::no_auth;
    const auto found = find(path);
    if (!found)
        return zookeeper_code::no_node;
    return found->children.empty() ? zookeeper_code::ok : zookeeper_code::not_empty;
}

reply model_tree::remove(const std::string& path, outcome& result) {
    const auto why = removable(path);
    if (why == zookeeper_code::ok)
        erase(path, result);
    return replies::code(why);
}

reply model_tree::release(const model_txn& txn, const node& which, outcome& result) {
    const auto& path = txn.request.path;
    if (const auto why = removable(path); why != zookeeper_code::ok)
        return replies::code(why);
    set(path, txn, result);
    reply answer{.stat = stat_of(which)};
    erase(path, result);
    return answer;
}

// One transaction: the create of the reader's node, then the deletion of the writer's.
reply model_tree::downgrade(const model_txn& txn, outcome& result) {
    const auto& [writer, reader] = std::pair{txn.request.path, txn.request.target};
    if (const auto why = creatable(reader); why != zookeeper_code::ok)
        return why == zookeeper_code::no_auth ? first_denied() : replies::code(why);
    if (const auto why = removable(writer); why != zookeeper_code::ok)
        return replies::code(why);
    make(reader, txn, txn.session, result);
    sessions_.at(txn.session).insert(reader);
    erase(writer, result);
    return {.path = reader};
}

reply model_tree::enqueue(const model_txn& txn, outcome& result) {
    const auto folder = find(parent_of(txn.request.path));
    if (!folder)
        return replies::no_node();
    return make_ticket(txn.request.path + digits(folder->created), txn, result);
}

reply model_tree::make_ticket(const std::string& path, const model_txn& txn, outcome& result) {
    const auto folder = find(parent_of(path));
    if (!folder)
        return replies::no_node();
    if (denies(model_right::write, parent_of(path)))
        return first_denied();
    if (const auto why = creatable(path); why != zookeeper_code::ok)
        return replies::code(why);
    folder->mzxid = txn.zxid;
    ++folder->version;
    folder->data.clear();
    tell(parent_of(path), watch_event::changed, result);
    const auto before = stat_of(*folder);
    make(path, txn, txn.session, result);
    sessions_.at(txn.session).insert(path);
    return {.path = path, .stat = before};
}

reply model_tree::create_holder(const model_txn& txn, outcome& result) {
    return make_ticket(txn.request.path, txn, result);
}

reply model_tree::delete_holder(const model_txn& txn, outcome& result) {
    const auto& path = txn.request.path;
    const auto folder = find(parent_of(path));
    if (!folder)
        return replies::no_node();
    if (denies(model_right::read, parent_of(path)))
        return first_denied();
    if (txn.request.version != -1 && txn.request.version != folder->version)
        return replies::code(zookeeper_code::bad_version);
    return remove(path, result);
}

reply model_tree::create_container(const model_txn& txn, outcome& result) {
    const auto& path = txn.request.path;
    if (const auto why = creatable(path); why != zookeeper_code::ok)
        return replies::code(why);
    auto& made = make(path, txn, 0, result);
    made.container = true;
    return {.path = path, .stat = stat_of(made)};
}

} // namespace turnstile::test
