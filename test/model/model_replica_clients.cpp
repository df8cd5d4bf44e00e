// SPDX-License-Identifier: BSL-1.0
// What a modelled server does for its clients. It takes their connections, hands writes to the
// leader, reads by itself, and answers each connection in the order of its requests.
#include "model_replica.hpp"

#include <utility>

namespace turnstile::test {

using protocol::disconnect_reason;
using protocol::operation;
using protocol::zookeeper_code;

void model_replica::attach(model_connection id, std::shared_ptr<model_caller> caller,
                           model_session wanted) {
    if (!serves())
        return caller->hung_up(disconnect_reason::lost);
    auto& joining = clients_[id];
    joining.caller = std::move(caller);
    if (wanted == 0)
        return open_session(id);
    // From here on this server ignores what comes on an older connection of the session.
    std::vector<model_connection> older;
    for (const auto& [other, state] : clients_)
        if (state.session == wanted)
            older.push_back(other);
    for (const auto other : older)
        forget(other);
    joining.session = wanted;
    if (leadership_)
        return accept(id, wanted, leadership_->validate(wanted, index_));
    tell(leader_, [this, id, wanted, epoch = epoch_](model_replica& leader) {
        if (!leader.leadership_ || leader.epoch_ != epoch)
            return;
        leader.leadership_->hear(index_);
        const bool valid = leader.leadership_->validate(wanted, index_);
        leader.tell(index_, [id, wanted, valid, epoch](model_replica& self) {
            if (self.hear_leader(epoch))
                self.accept(id, wanted, valid);
        });
    });
}

void model_replica::open_session(model_connection id) {
    const auto session = (static_cast<model_session>(index_ + 1) << 32) | ++sessions_made_;
    submit({.what = model_txn::kind::open_session,
            .session = session,
            .asker = {.replica = index_, .connection = id}});
}

void model_replica::accept(model_connection id, model_session session, bool valid) {
    const auto joining = clients_.find(id);
    if (joining == clients_.end())
        return;
    if (!valid && cluster_.limits.expires_silently) {
        joining->second.session = 0;
        return open_session(id);
    }
    if (!valid)
        return end_client(id, disconnect_reason::expired);
    joining->second.session = session;
    joining->second.caller->connected(session);
}

void model_replica::receive(model_connection id, protocol::request_id request,
                            const protocol::request& what) {
    const auto asking = clients_.find(id);
    if (asking == clients_.end())
        return;
    const auto session = asking->second.session;
    if (leadership_)
        leadership_->touch(session);
    else
        touched_.insert(session);
    asking->second.open.push_back({.id = request, .what = what});
    const bool first = !std::exchange(asking->second.asked, true);
    if ((first && throttles_barriers_ && cut_off_) ||
        (cluster_.now() < throttled_until_ && cluster_.below(2) == 0)) {
        asking->second.open.back().answer = protocol::reply{.code = zookeeper_code::throttled};
        return drain(id);
    }
    if (protocol::is_write(what.op)) {
        submit({.what = model_txn::kind::request,
                .session = session,
                .request = what,
                .asker = {.replica = index_, .connection = id, .request = request}});
    }
    drain(id);
}

// A write goes to the leader. Its answer comes when this server applies the transaction (apply()).
void model_replica::submit(model_txn txn) {
    if (leadership_)
        return leadership_->request(std::move(txn));
    tell(leader_, [from = index_, epoch = epoch_, txn = std::move(txn)](model_replica& leader) {
        if (leader.leadership_ && leader.epoch_ == epoch && leader.leadership_->hear(from))
            leader.leadership_->request(txn);
    });
}

void model_replica::propose(model_txn txn) {
    if (leadership_)
        leadership_->propose(std::move(txn));
}

void model_replica::answer(model_connection id, protocol::request_id request,
                           const protocol::reply& what) {
    const auto found = clients_.find(id);
    if (found == clients_.end())
        return;
    for (auto& each : found->second.open)
        if (each.id == request)
            each.answer = what;
    drain(id);
}

// Answers leave in the order of the requests: a read waits for the writes before it.
void model_replica::drain(model_connection id) {
    for (;;) {
        const auto found = clients_.find(id);
        if (found == clients_.end() || found->second.open.empty())
            return;
        auto& next = found->second.open.front();
        if (!protocol::is_write(next.what.op) && !next.answer)
            next.answer = read(id, next.what);
        if (!next.answer)
            return;
        const auto answered = std::move(next);
        found->second.open.pop_front();
        found->second.caller->replied(answered.id, *answered.answer);
    }
}

protocol::reply model_replica::read(model_connection id, const protocol::request& what) {
    if (what.op == operation::unwatch || what.op == operation::unwatch_children) {
        auto& watchers = what.op == operation::unwatch ? watchers_ : child_watchers_;
        const auto of_node = watchers.find(what.path);
        const bool removed = of_node != watchers.end() && of_node->second.erase(id) > 0;
        if (removed && of_node->second.empty())
            watchers.erase(of_node);
        return {.code = removed ? zookeeper_code::ok : zookeeper_code::no_watcher};
    }
    auto answer = tree_.read(what);
    // `exists` leaves a watch on a missing node, too.
    const bool awaits_node = what.op == operation::exists && answer.code == zookeeper_code::no_node;
    if (what.watch && (awaits_node || answer.code == zookeeper_code::ok))
        (what.op == operation::get_children ? child_watchers_ : watchers_)[what.path].insert(id);
    return answer;
}

void model_replica::close_session(model_connection id) {
    const auto found = clients_.find(id);
    if (found != clients_.end())
        submit({.what = model_txn::kind::close_session,
                .session = found->second.session,
                .asker = {.replica = index_, .connection = id}});
}

void model_replica::hang_up(model_connection id) { forget(id); }

void model_replica::forget(model_connection id) {
    clients_.erase(id);
    for (auto* const watchers : {&watchers_, &child_watchers_})
        for (auto next = watchers->begin(); next != watchers->end();) {
            next->second.erase(id);
            next = next->second.empty() ? watchers->erase(next) : std::next(next);
        }
}

void model_replica::end_client(model_connection id, disconnect_reason why) {
    const auto ending = clients_.find(id);
    if (ending == clients_.end())
        return;
    const auto caller = ending->second.caller;
    forget(id);
    caller->hung_up(why);
}

void model_replica::end_all_clients() {
    while (!clients_.empty())
        end_client(clients_.begin()->first, disconnect_reason::lost);
}

} // namespace turnstile::test
