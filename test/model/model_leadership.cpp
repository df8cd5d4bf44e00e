// SPDX-License-Identifier: BSL-1.0
#include "model_leadership.hpp"

#include "model_replica.hpp"

#include <chrono>
#include <memory>
#include <utility>

namespace turnstile::test {

using protocol::zookeeper_code;

model_leadership::model_leadership(model_replica& self) : self_(self) {
    const auto due = self_.cluster_.now() + self_.cluster_.limits.timeout;
    for (const auto session : self_.tree_.sessions())
        sessions_[session].due = due; // a new leader knows nothing of the time that has passed
}

void model_leadership::begin() {
    ping();
    self_.later(self_.cluster_.limits.tick, [this] { count_followers(); });
    expire();
}

// Clocks of servers are hours apart: time may go back when the leader changes.
std::int64_t model_leadership::time_of_leader() const {
    const auto time =
        self_.cluster_.now().time_since_epoch() - std::chrono::hours{self_.index() % 3};
    return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
}

void model_leadership::propose(model_txn txn) {
    if (txn.what == model_txn::kind::close_session)
        sessions_[txn.session].closing = true;
    txn.zxid = (self_.epoch_ << 32) | ++counter_;
    txn.time = time_of_leader();
    const auto proposal = std::make_shared<const model_txn>(std::move(txn));
    self_.log_.push_back(proposal);
    for (const auto& [follower, state] : followers_)
        self_.tell(follower, [epoch = self_.epoch_, proposal](model_replica& peer) {
            peer.on_proposal(epoch, proposal);
        });
    commit();
}

void model_leadership::request(model_txn txn) {
    const auto refuse = [&txn](zookeeper_code why) {
        txn.what = model_txn::kind::refusal;
        txn.code = why;
    };
    if (txn.what == model_txn::kind::open_session) {
        sessions_[txn.session] = {.due = self_.cluster_.now() + self_.cluster_.limits.timeout,
                                  .owner = txn.asker.replica};
        return propose(std::move(txn));
    }
    const auto asking = sessions_.find(txn.session);
    if (asking == sessions_.end() || asking->second.closing)
        refuse(zookeeper_code::session_expired);
    else if (asking->second.owner.value_or(txn.asker.replica) != txn.asker.replica)
        refuse(zookeeper_code::session_moved);
    else
        asking->second.owner = txn.asker.replica;
    propose(std::move(txn));
}

bool model_leadership::validate(model_session session, std::size_t owner) {
    const auto known = sessions_.find(session);
    if (known == sessions_.end() || known->second.closing)
        return false;
    touch(session);
    known->second.owner = owner;
    return true;
}

void model_leadership::touch(model_session session) {
    const auto known = sessions_.find(session);
    if (known != sessions_.end() && !known->second.closing)
        known->second.due = self_.cluster_.now() + self_.cluster_.limits.timeout;
}

void model_leadership::touch_all(const std::set<model_session>& sessions) {
    for (const auto session : sessions)
        touch(session);
}

void model_leadership::enrol(std::size_t follower) {
    followers_[follower] = {.acknowledged = self_.last_logged(), .heard = self_.cluster_.now()};
    commit();
}

bool model_leadership::hear(std::size_t follower) {
    const auto known = followers_.find(follower);
    if (known == followers_.end())
        return false;
    known->second.heard = self_.cluster_.now();
    return true;
}

void model_leadership::on_ack(std::size_t follower, std::int64_t zxid) {
    if (!hear(follower))
        return;
    auto& newest = followers_[follower].acknowledged;
    newest = std::max(newest, zxid);
    commit();
}

void model_leadership::commit() {
    while (self_.applied_ < self_.log_.size()) {
        const auto zxid = self_.log_[self_.applied_]->zxid;
        std::size_t logs = 1; // with this transaction: the leader's own has it
        for (const auto& [follower, state] : followers_)
            logs += state.acknowledged >= zxid ? 1 : 0;
        if (logs < self_.majority())
            break;
        for (const auto& [follower, state] : followers_)
            self_.tell(follower, [epoch = self_.epoch_, zxid](model_replica& peer) {
                peer.on_commit(epoch, zxid);
            });
        self_.apply_up_to(zxid);
    }
}

void model_leadership::ping() {
    for (const auto& [follower, state] : followers_)
        self_.tell(follower, [epoch = self_.epoch_](model_replica& peer) { peer.on_ping(epoch); });
    const auto& limits = self_.cluster_.limits;
    const bool late = limits.lateness > protocol::duration::zero();
    self_.later(limits.tick / 2 + (late ? self_.cluster_.up_to(limits.lateness) : limits.lateness),
                [this] { ping(); });
}

void model_leadership::on_pong(std::size_t follower, const std::set<model_session>& sessions) {
    if (hear(follower))
        touch_all(sessions);
}

void model_leadership::count_followers() {
    const auto& limits = self_.cluster_.limits;
    std::size_t in_touch = 1; // the leader itself
    for (const auto& [follower, state] : followers_)
        in_touch += self_.cluster_.now() - state.heard <= limits.sync_limit * limits.tick ? 1 : 0;
    if (in_touch < self_.majority())
        return self_.leave(); // destroys this
    self_.later(limits.tick, [this] { count_followers(); });
}

void model_leadership::expire() {
    for (auto& [session, state] : sessions_)
        if (!state.closing && state.due <= self_.cluster_.now())
            propose({.what = model_txn::kind::close_session, .session = session});
    self_.later(self_.cluster_.limits.timeout / 128, [this] { expire(); });
}

} // namespace turnstile::test
