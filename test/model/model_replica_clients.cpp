// SPDX-License-Identifier: BSL-1.0
// A modelled server and its clients.
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
    auto& who = clients_[id];
    who.caller = std::move(caller);
    if (wanted == 0)
        return open_session(id);
    // Whatever still comes on an older connection of the session is refused from here on.
    std::vector<model_connection> older;
    for (const auto& [other, state] : clients_)
        if (state.session == wanted)
            older.push_back(other);
    for (const auto other : older)
        forget(other);
    who.session = wanted;
    if (leadership_)
        return accept(id, wanted, leadership_->validate(wanted, index_));
    tell(leader_, [this, id, wanted, epoch = epoch_](model_replica& leader) {
        if (!leader.leadership_ || leader.epoch_ != epoch)
            return;
        leader.leadership_->heard(index_);
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
    const auto found = clients_.find(id);
    if (found == clients_.end())
        return;
    if (!valid && cluster_.limits.expires_silently) {
        found->second.session = 0;
        return open_session(id);
    }
    if (!valid)
        return end_client(id, disconnect_reason::expired);
    found->second.session = session;
    found->second.caller->connected(session);
}

void model_replica::receive(model_connection id, protocol::request_id request,
                            const protocol::request& what) {
    const auto found = clients_.find(id);
    if (found == clients_.end())
        return;
    const auto session = found->second.session;
    if (leadership_)
        leadership_->touch(session);
    else
        touched_.insert(session);
    found->second.open.push_back({.id = request, .what = what});
    const bool first = !std::exchange(found->second.asked, true);
    if ((first && throttles_barriers_ && cut_off_) ||
        (cluster_.now() < throttled_until_ && cluster_.below(2) == 0)) {
        found->second.open.back().answer = protocol::reply{.code = zookeeper_code::throttled};
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

void model_replica::submit(model_txn txn) {
    if (leadership_)
        return leadership_->request(std::move(txn));
    tell(leader_, [from = index_, epoch = epoch_, txn = std::move(txn)](model_replica& leader) {
        if (leader.leadership_ && leader.epoch_ == epoch && leader.leadership_->heard(from))
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
        const auto done = std::move(next);
        found->second.open.pop_front();
        found->second.caller->replied(done.id, *done.answer);
    }
}

protocol::reply model_replica::read(model_connection id, const protocol::request& what) {
    if (what.op == operation::unwatch || what.op == operation::unwatch_children) {
        auto& watched = what.op == operation::unwatch ? watchers_ : child_watchers_;
        const auto found = watched.find(what.path);
        const bool taken = found != watched.end() && found->second.erase(id) > 0;
        if (taken && found->second.empty())
            watched.erase(found);
        return {.code =
                    taken ? protocol::zookeeper_code::ok : protocol::zookeeper_code::no_watcher};
    }
    auto answer = tree_.read(what);
    // `exists` leaves a watch on a missing node, too.
    const bool missing =
        what.op == operation::exists && answer.code == protocol::zookeeper_code::no_node;
    if (what.watch && (missing || answer.code == protocol::zookeeper_code::ok))
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
    const auto found = clients_.find(id);
    if (found == clients_.end())
        return;
    const auto caller = found->second.caller;
    forget(id);
    caller->hung_up(why);
}

void model_replica::end_all_clients() {
    while (!clients_.empty())
        end_client(clients_.begin()->first, disconnect_reason::lost);
}

} // namespace turnstile::test
