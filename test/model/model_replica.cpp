// SPDX-License-Identifier: BSL-1.0
#include "model_replica.hpp"

#include <utility>

namespace turnstile::test {

model_replica::model_replica(model_cluster& cluster, peers& all, std::size_t index,
                             apply_observer observer)
    : cluster_(cluster),
      all_(all),
      index_(index),
      observer_(std::move(observer)),
      tree_(cluster.limits.exists_needs_read) {}

void model_replica::run(std::function<void()> arrived) {
    if (role_ == role::down)
        return;
    if (paused_)
        backlog_.push_back(std::move(arrived));
    else
        arrived();
}

void model_replica::resume() {
    if (std::exchange(paused_, false))
        disturbed_ = cluster_.now();
    for (const auto& arrived : std::exchange(backlog_, {}))
        run(arrived);
}

void model_replica::rejoin() {
    if (std::exchange(cut_off_, false))
        disturbed_ = cluster_.now();
}

void model_replica::later(protocol::duration delay, std::function<void()> action) {
    cluster_.events.after(delay, [this, life = life_, action = std::move(action)] {
        run([this, life, action] {
            if (life == life_)
                action();
        });
    });
}

void model_replica::be(role next) {
    ++life_;
    role_ = next;
    disturbed_ = cluster_.now();
    leadership_.reset();
    if (next == role::looking)
        seek();
}

void model_replica::crash() {
    paused_ = false;
    backlog_.clear();
    end_all_clients();
    be(role::down); // log and tree are on its disk
}

void model_replica::start() {
    if (role_ == role::down)
        be(role::looking);
}

void model_replica::apply_up_to(std::int64_t zxid) {
    while (applied_ < log_.size() && log_[applied_]->zxid <= zxid) {
        const auto txn = log_[applied_++];
        apply(*txn);
    }
}

void model_replica::apply(const model_txn& txn) {
    const auto result = tree_.apply(txn);
    const bool mine = txn.asker.replica == index_ && txn.asker.connection != 0;
    const auto asker = mine ? txn.asker.connection : 0;
    observer_(*this, txn, fire(result, asker));
    if (txn.what == model_txn::kind::open_session) {
        if (mine)
            accept(asker, txn.session, true);
        return;
    }
    if (txn.what == model_txn::kind::close_session) {
        std::vector<model_connection> ended;
        for (const auto& [id, which] : clients_)
            if (which.session == txn.session)
                ended.push_back(id);
        for (const auto id : ended)
            end_client(id, id == asker ? protocol::disconnect_reason::closed
                                       : protocol::disconnect_reason::lost);
        return;
    }
    if (!mine)
        return;
    if (result.answer.code == protocol::zookeeper_code::session_moved)
        end_client(asker, protocol::disconnect_reason::lost);
    else
        answer(asker, txn.asker.request, result.answer);
}

std::size_t model_replica::fire(const model_tree::outcome& result, model_connection asker) {
    std::size_t others = 0;
    for (const auto& [path, event] : result.events)
        for (const auto id : watchers_of(path, event))
            if (const auto who = clients_.find(id);
                who != clients_.end() && !result.unreadable.contains(path)) {
                if (cluster_.limits.loses_events && cluster_.below(8) == 0)
                    continue;
                others += id == asker ? 0 : 1;
                who->second.caller->fired(event, path);
            }
    return others;
}

// A client that watches the node and its children is told of a deletion once. Some servers
// (keeps_deletions_back) tell those who watch the children nothing if anyone watches the node.
std::set<model_connection> model_replica::watchers_of(const std::string& path,
                                                      protocol::watch_event event) {
    std::set<model_connection> result;
    if (event != protocol::watch_event::children)
        if (auto of_data = watchers_.extract(path))
            result.merge(of_data.mapped());
    if (event == protocol::watch_event::children || event == protocol::watch_event::deleted)
        if (auto of_children = child_watchers_.extract(path);
            of_children && (result.empty() || !cluster_.limits.keeps_deletions_back))
            result.merge(of_children.mapped());
    return result;
}

std::size_t model_replica::watches_outside(const std::string& path) const {
    std::size_t count = 0;
    for (const auto* const watchers : {&watchers_, &child_watchers_})
        for (const auto& [node, connections] : *watchers)
            if (node != path && !node.starts_with(path + '/'))
                count += connections.size();
    return count;
}

} // namespace turnstile::test
