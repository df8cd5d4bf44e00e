// Requests of sessions that change the tree, as a real server carries them out.
#include "model_tree.hpp"

#include "support/replies.hpp"

#include <utility>

namespace turnstile::test {

using protocol::operation;
using protocol::reply;
using protocol::watch_event;
using protocol::zookeeper_code;

namespace {

// Of a transaction, it was the first operation.
reply first_denied() { return {.code = zookeeper_code::no_auth, .set_denied = true}; }

} // namespace

reply model_tree::write(const model_txn& txn, outcome& result) {
    const auto& what = txn.request;
    if (what.op == operation::create_container)
        return create_container(txn);
    if (what.op == operation::enqueue)
        return enqueue(txn, result);
    if (what.op == operation::create_holder)
        return create_holder(txn, result);
    if (what.op == operation::delete_holder)
        return delete_holder(txn, result);
    if (what.op == operation::remove)
        return remove(what.path, result);
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

// Rights are asked for first: whoever may not delete there is not told what is there.
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

// What the create refuses is told before what the deletion refuses.
reply model_tree::downgrade(const model_txn& txn, outcome& result) {
    const auto& [path, made] = std::pair{txn.request.path, txn.request.target};
    const auto folder = find(parent_of(made));
    if (!folder)
        return replies::no_node();
    if (denies(model_right::create, parent_of(made)))
        return replies::no_auth();
    if (find(made))
        return replies::node_exists();
    if (folder->owner != 0)
        return replies::code(zookeeper_code::no_children_for_ephemerals);
    if (const auto why = removable(path); why != zookeeper_code::ok)
        return replies::code(why);
    make(made, txn, txn.session);
    sessions_.at(txn.session).insert(made);
    erase(path, result);
    return {.path = made};
}

reply model_tree::enqueue(const model_txn& txn, outcome& result) {
    const auto path = parent_of(txn.request.path);
    const auto folder = find(path);
    if (!folder)
        return replies::no_node();
    if (denies(model_right::write, path))
        return first_denied();
    if (denies(model_right::create, path))
        return replies::no_auth();
    if (folder->owner != 0)
        return replies::code(zookeeper_code::no_children_for_ephemerals);
    return make_ticket(*folder, txn.request.path + digits(folder->created), txn, result);
}

// With the lock path's set before it.
reply model_tree::make_ticket(node& folder, const std::string& path, const model_txn& txn,
                              outcome& result) {
    folder.mzxid = txn.zxid;
    ++folder.version;
    folder.data.clear();
    tell(parent_of(path), watch_event::changed, result);
    const auto before = stat_of(folder);
    make(path, txn, txn.session);
    sessions_.at(txn.session).insert(path);
    return {.path = path, .stat = before};
}

reply model_tree::create_holder(const model_txn& txn, outcome& result) {
    const auto path = parent_of(txn.request.path);
    const auto folder = find(path);
    if (!folder)
        return replies::no_node();
    if (denies(model_right::write, path))
        return first_denied();
    if (denies(model_right::create, path))
        return replies::no_auth();
    if (find(txn.request.path))
        return replies::node_exists();
    if (folder->owner != 0)
        return replies::code(zookeeper_code::no_children_for_ephemerals);
    folder->versioned = true;
    return make_ticket(*folder, txn.request.path, txn, result);
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

reply model_tree::create_container(const model_txn& txn) {
    const auto& path = txn.request.path;
    const auto parent = find(parent_of(path));
    if (!parent)
        return replies::no_node();
    if (denies(model_right::create, parent_of(path)))
        return replies::no_auth();
    if (find(path))
        return replies::node_exists();
    if (parent->owner != 0)
        return replies::code(zookeeper_code::no_children_for_ephemerals);
    auto& made = make(path, txn, 0);
    made.container = true;
    return {.path = path, .stat = stat_of(made)};
}

} // namespace turnstile::test
