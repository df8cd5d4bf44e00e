// SPDX-License-Identifier: BSL-1.0
// A modelled server as a member of its ensemble.
#include "model_replica.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace turnstile::test {

using namespace std::chrono_literals;

void model_replica::tell(std::size_t peer, std::function<void(model_replica&)> what) {
    cluster_.send(index_, peer, [this, peer, what = std::move(what)] {
        auto& other = *all_[peer];
        other.run([&other, what] { what(other); });
    });
}

// An election, made short. This server joins a leader that it can reach, if there is one. If not,
// it elects for all that look, too: the one with the longest log of the latest epoch leads. That
// one has to reach a majority of the ensemble. Without a majority this server looks again later.
void model_replica::seek() {
    std::vector<model_replica*> looking{this};
    for (const auto& peer : all_) {
        if (peer.get() == this || !peer->up() || !cluster_.whole(index_, peer->index_))
            continue;
        if (peer->role_ == role::leading && peer->epoch_ >= epoch_)
            return join(*peer);
        if (peer->role_ == role::looking)
            looking.push_back(peer.get());
    }
    const auto best = *std::max_element(looking.begin(), looking.end(),
                                        [](const model_replica* one, const model_replica* other) {
                                            return std::pair(one->epoch_, one->last_logged()) <
                                                   std::pair(other->epoch_, other->last_logged());
                                        });
    std::erase_if(looking, [&](const model_replica* member) {
        return member != best && !cluster_.whole(member->index_, best->index_);
    });
    if (looking.size() < majority())
        return later(10ms + cluster_.up_to(100ms), [this] { seek(); });
    std::int64_t epoch = 0;
    for (const auto member : looking)
        epoch = std::max(epoch, member->epoch_);
    best->lead(epoch + 1);
    for (const auto member : looking)
        if (member != best)
            member->join(*best);
}

void model_replica::lead(std::int64_t epoch) {
    be(role::leading);
    epoch_ = epoch;
    // A majority may have acknowledged all that is logged here, so all of it is committed.
    apply_up_to(last_logged());
    leadership_ = std::make_unique<model_leadership>(*this);
    leadership_->begin();
}

void model_replica::join(model_replica& leader) {
    be(role::following);
    epoch_ = leader.epoch_;
    leader_ = leader.index_;
    leader_heard_ = cluster_.now();
    log_ = leader.log_; // what it had logged beside that was never committed
    touched_.clear();
    apply_up_to(leader.applied());
    leader.leadership_->enrol(index_);
    watch_leader();
}

void model_replica::leave() {
    end_all_clients();
    be(role::looking);
}

bool model_replica::steady_since(protocol::instant when) const {
    if (role_ != role::following)
        return all_.size() == 1 && undisturbed_since(when);
    const auto& leader = *all_[leader_];
    return undisturbed_since(when) && slow_until_ <= when && leader.undisturbed_since(when) &&
           leader.role_ == role::leading && leader.epoch_ == epoch_;
}

bool model_replica::hear_leader(std::int64_t epoch) {
    if (role_ != role::following || epoch_ != epoch)
        return false;
    leader_heard_ = cluster_.now();
    return true;
}

void model_replica::watch_leader() {
    const auto& limits = cluster_.limits;
    const bool silent = cluster_.now() - leader_heard_ > limits.sync_limit * limits.tick;
    if (silent || (limits.notices_at_once && !cluster_.whole(index_, leader_)))
        return leave();
    later(limits.tick / 2, [this] { watch_leader(); });
}

void model_replica::on_proposal(std::int64_t epoch, const txn_ptr& txn) {
    if (!hear_leader(epoch) || txn->zxid <= last_logged())
        return;
    log_.push_back(txn);
    tell(leader_, [from = index_, epoch, zxid = txn->zxid](model_replica& leader) {
        if (leader.leadership_ && leader.epoch_ == epoch)
            leader.leadership_->on_ack(from, zxid);
    });
}

void model_replica::on_commit(std::int64_t epoch, std::int64_t zxid) {
    if (hear_leader(epoch))
        apply_up_to(zxid);
}

void model_replica::on_ping(std::int64_t epoch) {
    if (!hear_leader(epoch))
        return;
    tell(leader_,
         [from = index_, epoch, touched = std::exchange(touched_, {})](model_replica& leader) {
             if (leader.leadership_ && leader.epoch_ == epoch)
                 leader.leadership_->on_pong(from, touched);
         });
}

} // namespace turnstile::test
