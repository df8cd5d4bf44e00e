#include "model_server.hpp"

#include "replies.hpp"

#include <utility>

namespace turnstile::test {

using protocol::operation;
using protocol::reply;
using protocol::watch_event;
using protocol::zookeeper_code;

model_server::model_server(event_handler on_event) : on_event_(std::move(on_event)) {
    nodes_["/"] = {};
}

model_server::session_id model_server::open_session() {
    ++zxid_;
    sessions_[++last_session_];
    return last_session_;
}

void model_server::end_session(session_id session) {
    const auto found = sessions_.find(session);
    if (found == sessions_.end())
        return;
    ++zxid_; // one transaction
    const auto mine = std::move(found->second);
    sessions_.erase(found);
    for (const auto& path : mine)
        erase(path);
}

void model_server::end_connection(connection_id connection) {
    for (auto next = watches_.begin(); next != watches_.end();) {
        next->second.erase(connection);
        next = next->second.empty() ? watches_.erase(next) : std::next(next);
    }
}

reply model_server::execute(session_id session, connection_id connection,
                            const protocol::request& what) {
    switch (what.op) {
    case operation::enqueue:
        return enqueue(session, what);
    case operation::create_container:
        return create_container(what.path);
    case operation::exists: {
        const auto found = find(what.path);
        return found ? reply{.stat = stat_of(*found)} : replies::no_node();
    }
    case operation::get:
        return get(connection, what);
    case operation::get_children:
        return get_children(what.path);
    case operation::remove:
        return remove_checked(what.path);
    case operation::release:
        return release(what.path);
    case operation::check:
        ++zxid_;
        return find(what.path) ? replies::ok() : replies::no_node();
    case operation::sync:
        return replies::ok();
    case operation::set:
        break;
    }
    return replies::code(zookeeper_code::unimplemented);
}

reply model_server::enqueue(session_id session, const protocol::request& what) {
    ++zxid_;
    const auto path = parent_of(what.path);
    const auto folder = find(path);
    if (!folder)
        return replies::no_node();
    folder->mzxid = zxid_;
    fire(path, watch_event::changed);
    const auto before = stat_of(*folder);
    const auto made = what.path + digits(folder->created);
    make(made, session, what.data);
    sessions_.at(session).insert(made);
    return {.path = made, .stat = before};
}

reply model_server::create_container(const std::string& path) {
    ++zxid_;
    if (find(path))
        return replies::node_exists();
    if (!find(parent_of(path)))
        return replies::no_node();
    return {.path = path, .stat = stat_of(make(path, 0, {}))};
}

reply model_server::get(connection_id connection, const protocol::request& what) {
    const auto found = find(what.path);
    if (!found)
        return replies::no_node();
    if (what.watch)
        watches_[what.path].insert(connection);
    return {.stat = stat_of(*found), .data = found->data};
}

reply model_server::get_children(const std::string& path) const {
    const auto found = find(path);
    if (!found)
        return replies::no_node();
    return {.stat = stat_of(*found), .children = children(path)};
}

reply model_server::remove_checked(const std::string& path) {
    ++zxid_;
    const auto found = find(path);
    if (!found)
        return replies::no_node();
    if (!found->children.empty())
        return replies::code(zookeeper_code::not_empty);
    erase(path);
    return replies::ok();
}

reply model_server::release(const std::string& path) {
    ++zxid_;
    if (!find(path))
        return replies::no_node();
    fire(path, watch_event::changed);
    erase(path);
    return replies::ok();
}

void model_server::reap() {
    std::vector<std::string> empty;
    for (const auto& [path, which] : nodes_)
        if (path != "/" && which.owner == 0 && which.created > 0 && which.children.empty())
            empty.push_back(path);
    for (const auto& path : empty)
        remove(path);
}

void model_server::remove(const std::string& path) {
    if (!find(path))
        return;
    ++zxid_;
    erase(path);
}

std::vector<std::string> model_server::children(const std::string& path) const {
    const auto found = find(path);
    return found ? std::vector<std::string>(found->children.begin(), found->children.end())
                 : std::vector<std::string>{};
}

std::size_t model_server::watches() const {
    std::size_t count = 0;
    for (const auto& [path, connections] : watches_)
        count += connections.size();
    return count;
}

model_server::node* model_server::find(const std::string& path) {
    const auto found = nodes_.find(path);
    return found == nodes_.end() ? nullptr : &found->second;
}

const model_server::node* model_server::find(const std::string& path) const {
    const auto found = nodes_.find(path);
    return found == nodes_.end() ? nullptr : &found->second;
}

std::string model_server::parent_of(const std::string& path) {
    const auto slash = path.rfind('/');
    return slash == 0 ? "/" : path.substr(0, slash);
}

protocol::node_stat model_server::stat_of(const node& which) const {
    return {.czxid = which.czxid,
            .mzxid = which.mzxid,
            .ephemeral_owner = which.owner,
            .children = static_cast<std::int32_t>(which.children.size())};
}

model_server::node& model_server::make(const std::string& path, session_id owner,
                                       const std::string& data) {
    auto& parent = *find(parent_of(path));
    ++parent.created;
    parent.children.insert(path.substr(path.rfind('/') + 1));
    auto& made = nodes_[path];
    made = {.czxid = zxid_, .mzxid = zxid_, .owner = owner, .data = data};
    return made;
}

void model_server::erase(const std::string& path) {
    const auto owner = sessions_.find(find(path)->owner);
    if (owner != sessions_.end())
        owner->second.erase(path);
    nodes_.erase(path);
    find(parent_of(path))->children.erase(path.substr(path.rfind('/') + 1));
    fire(path, watch_event::deleted);
}

void model_server::fire(const std::string& path, watch_event event) {
    const auto found = watches_.find(path);
    if (found == watches_.end())
        return;
    const auto watchers = std::move(found->second);
    watches_.erase(found);
    for (const auto connection : watchers)
        on_event_(connection, event, path);
}

} // namespace turnstile::test
