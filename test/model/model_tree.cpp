// SPDX-License-Identifier: BSL-1.0
#include "model_tree.hpp"

#include "support/replies.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

namespace turnstile::test {

using protocol::operation;
using protocol::reply;
using protocol::watch_event;
using protocol::zookeeper_code;

namespace {

// Sorts names by a hash of their last ten characters. A real server keeps names in hash sets, so
// nothing may rest on their order.
std::vector<std::string> in_no_order(const std::set<std::string>& names) {
    std::vector<std::string> result(names.begin(), names.end());
    std::sort(result.begin(), result.end(), [](const auto& one, const auto& other) {
        const auto key = [](const std::string& name) {
            const auto sequence = name.size() - std::min<std::size_t>(name.size(), 10);
            return std::hash<std::string>{}(name.substr(sequence));
        };
        return std::pair(key(one), one) < std::pair(key(other), other);
    });
    return result;
}

std::string name_in(const std::string& path) { return path.substr(path.rfind('/') + 1); }

} // namespace

model_tree::model_tree(bool exists_needs_read) : exists_needs_read_(exists_needs_read) {
    nodes_["/"] = {};
}

model_tree::outcome model_tree::apply(const model_txn& txn) {
    outcome result;
    switch (txn.what) {
    case model_txn::kind::request:
        // The leader refuses the requests of a session that has ended. Two come here all the same:
        // a late one (held_since), and one whose session was dropped with an earlier leader's last
        // proposals.
        result.answer = alive(txn.session) ? write(txn, result)
                                           : replies::code(zookeeper_code::session_expired);
        break;
    case model_txn::kind::refusal:
        result.answer = replies::code(txn.code);
        break;
    case model_txn::kind::open_session:
        sessions_[txn.session];
        break;
    case model_txn::kind::close_session:
        end_session(txn.session, result);
        break;
    case model_txn::kind::set:
        set(txn.path, txn, result);
        if (const auto found = sessions_.find(txn.session); found != sessions_.end())
            for (const auto& path : found->second)
                set(path, txn, result);
        break;
    case model_txn::kind::rights: // this has no event, and leaves the version of the data
        if (const auto found = find(txn.path); found && txn.given)
            found->denied.erase(txn.right);
        else if (found)
            found->denied.insert(txn.right);
        break;
    case model_txn::kind::twin:
        if (find(parent_of(txn.path)) && !find(txn.path)) {
            make(txn.path, txn, txn.session, result);
            sessions_[txn.session].insert(txn.path);
        }
        break;
    case model_txn::kind::removal:
        if (const auto found = find(txn.path); found && found->children.empty())
            erase(txn.path, result);
        break;
    }
    return result;
}

std::vector<std::string> model_tree::made_by(std::int64_t zxid) const {
    std::vector<std::string> result;
    for (const auto& [path, which] : nodes_)
        if (which.czxid == zxid && which.owner != 0)
            result.push_back(path);
    return result;
}

reply model_tree::read(const protocol::request& what) const {
    const auto found = find(what.path);
    if (!found)
        return replies::no_node();
    const bool needs_read = what.op != operation::exists || exists_needs_read_;
    if (needs_read && denies(model_right::read, what.path))
        return replies::no_auth();
    reply answer{.stat = stat_of(*found)};
    if (what.op == operation::get)
        answer.data = found->data;
    if (what.op == operation::get_children)
        answer.children = in_no_order(found->children);
    return answer;
}

void model_tree::set(const std::string& path, const model_txn& txn, outcome& result) {
    const auto found = find(path);
    if (!found)
        return;
    found->mzxid = txn.zxid;
    ++found->version;
    found->data = txn.request.data;
    tell(path, watch_event::changed, result);
}

void model_tree::tell(const std::string& path, watch_event event, outcome& result) const {
    result.events.emplace_back(path, event);
    if (denies(model_right::read, path))
        result.unreadable.insert(path);
}

std::string model_tree::parent_of(const std::string& path) {
    const auto slash = path.rfind('/');
    return slash == 0 ? "/" : path.substr(0, slash);
}

model_tree::node& model_tree::make(const std::string& path, const model_txn& txn,
                                   model_session owner, outcome& result) {
    auto& parent = *find(parent_of(path));
    ++parent.created;
    parent.children.insert(name_in(path));
    tell(path, watch_event::created, result);
    tell(parent_of(path), watch_event::children, result);
    return nodes_[path] = {.czxid = txn.zxid,
                           .mzxid = txn.zxid,
                           .ctime = txn.time,
                           .owner = owner,
                           .data = txn.request.data};
}

void model_tree::erase(const std::string& path, outcome& result) {
    tell(path, watch_event::deleted, result);
    const auto owner = sessions_.find(find(path)->owner);
    if (owner != sessions_.end())
        owner->second.erase(path);
    nodes_.erase(path);
    find(parent_of(path))->children.erase(name_in(path));
    tell(parent_of(path), watch_event::children, result);
}

void model_tree::end_session(model_session session, outcome& result) {
    const auto found = sessions_.find(session);
    if (found == sessions_.end())
        return;
    const auto own_nodes = in_no_order(found->second);
    sessions_.erase(found);
    for (const auto& path : own_nodes)
        erase(path, result);
}

void model_tree::deny(model_right what, const std::string& path) {
    have(path);
    find(path)->denied.insert(what);
}

void model_tree::have(const std::string& path) {
    outcome events_for_nobody;
    if (!find(path))
        make(path, {.zxid = 1}, 0, events_for_nobody);
}

std::vector<model_session> model_tree::sessions() const {
    std::vector<model_session> result;
    for (const auto& [session, nodes] : sessions_)
        result.push_back(session);
    return result;
}

std::vector<std::string> model_tree::children(const std::string& path) const {
    const auto found = find(path);
    return found ? std::vector<std::string>(found->children.begin(), found->children.end())
                 : std::vector<std::string>{};
}

std::vector<std::string> model_tree::reapable() const {
    std::vector<std::string> result;
    for (const auto& [path, which] : nodes_)
        if (which.container && which.created > 0 && which.children.empty())
            result.push_back(path);
    return result;
}

const model_tree::node* model_tree::find(const std::string& path) const {
    const auto found = nodes_.find(path);
    return found == nodes_.end() ? nullptr : &found->second;
}

model_tree::node* model_tree::find(const std::string& path) {
    return const_cast<node*>(std::as_const(*this).find(path));
}

protocol::node_stat model_tree::stat_of(const node& which) {
    return {.czxid = which.czxid,
            .mzxid = which.mzxid,
            .ctime = which.ctime,
            .ephemeral_owner = which.owner,
            .data_bytes = static_cast<std::int32_t>(which.data.size()),
            .children = static_cast<std::int32_t>(which.children.size()),
            .version = which.version,
            .child_version =
                static_cast<std::int32_t>(2 * static_cast<std::uint32_t>(which.created) -
                                          static_cast<std::uint32_t>(which.children.size()))};
}

} // namespace turnstile::test
