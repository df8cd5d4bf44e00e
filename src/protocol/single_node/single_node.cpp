// SPDX-License-Identifier: BSL-1.0
#include "protocol/single_node/single_node.hpp"

#include "protocol/names/ticket_name.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::protocol {

single_node::single_node(machine_context& shared, owner_table& owners, std::string path)
    : context_(shared),
      owners_(owners),
      rules_(shared.options),
      path_(std::move(path)),
      node_(path_ + '/' + std::string(holder_name)),
      directory_(
          shared, path_, [this] { compete(); },
          [this](failure why, zookeeper_code code) {
              fail_front(why, code);
              compete();
          }),
      place_expiry_(shared.clock),
      own_watch_(shared.clock),
      again_(shared.clock),
      sweep_(shared.clock) {}

std::size_t single_node::cost() const {
    return ticket_cost(context_.options.chroot_bytes + node_.size());
}

void single_node::send(const request& what, reply_handler done) {
    ++open_;
    context_.requests.send(what, [this, done = std::move(done)](const reply& answer) {
        --open_;
        done(answer);
    });
}

void single_node::enter(std::unique_ptr<acquire> newcomer) {
    ++uses_;
    const auto id = newcomer->id;
    // What leaves is free for whoever comes next.
    const bool taken = !waiting_.empty() || (ours_ && !ours_->leaving);
    const bool in_vain = taken && !newcomer->patient;
    owners_.emplace(id, this);
    waiting_.push_back(std::move(newcomer));
    if (in_vain)
        return cancel(id, failure::would_block);
    if (phase_ == phase::kept)
        return examine();
    if (phase_ == phase::free)
        compete();
}

void single_node::pop_front() {
    const auto id = waiting_.front()->id;
    waiting_.pop_front();
    owners_.erase(id);
    tries_ = 0;
}

void single_node::fail_front(failure why, zookeeper_code code) {
    if (waiting_.empty())
        return;
    const auto id = waiting_.front()->id;
    const bool told = waiting_.front()->abandoned;
    pop_front();
    if (!told)
        context_.events.on_acquire_failed(id, why, code);
}

void single_node::forget_abandoned() {
    while (!waiting_.empty() && waiting_.front()->abandoned)
        pop_front();
}

void single_node::cancel(ticket_id id, failure why, zookeeper_code code) {
    const auto found = std::find_if(waiting_.begin(), waiting_.end(), [&](const auto& each) {
        return each->id == id && !each->abandoned;
    });
    if (found == waiting_.end())
        return;
    const bool competes = found == waiting_.begin();
    const bool may_appear =
        phase_ == phase::creating || phase_ == phase::unresolved || phase_ == phase::examining;
    if (competes && may_appear) {
        (*found)->abandoned = true;
        (*found)->deadline.cancel();
    } else if (competes && phase_ == phase::confirming) {
        pop_front();
        leave(0);
    } else {
        waiting_.erase(found);
        owners_.erase(id);
        if (competes && (phase_ == phase::asking || phase_ == phase::watching)) {
            forget_watch();
            ++epoch_;
            phase_ = phase::free;
        }
    }
    context_.events.on_acquire_failed(id, why, code);
    if (phase_ == phase::free)
        compete();
}

void single_node::abandon_all() {
    forget_watch();
    own_watch_.cancel();
    sweep_.cancel();
    sweep_wanted_ = false;
    while (!waiting_.empty())
        fail_front(failure::session_closed);
    if (ours_ && ours_->leaving)
        return; // its release is awaited
    const bool was_held = phase_ == phase::held;
    const auto mine = ours_.value_or(own_node{});
    ++epoch_;
    phase_ = phase::free;
    again_.cancel();
    forget_node(); // it goes with the session
    forget_holders(mine);
    if (was_held)
        tell_lost(mine, failure::session_closed);
}

void single_node::on_connected() {
    if (phase_ == phase::held)
        watch_own_later(duration{static_cast<duration::rep>(
            context_.random() %
            (static_cast<std::uint64_t>(lease_plan::spread(context_.lease.timeout()).count()) +
             1))});
    else if (phase_ == phase::unresolved)
        examine();
    // Its time came without a connection, and it does not come again: whoever waits may go, or not
    // wait at all, and leave a late node of this session unseen.
    else if (phase_ == phase::free && sweep_wanted_ && !sweep_.pending())
        examine();
    else if (phase_ == phase::free)
        compete();
}

void single_node::on_disconnected() {
    directory_.on_disconnected();
    own_watch_.cancel();
    again_.cancel();
    watcher_.reset(); // all watches went with the connection
    ++epoch_;
    if (ours_)
        ours_->unseen = true;
    if (phase_ == phase::asking || phase_ == phase::watching)
        phase_ = phase::free;
    else if (phase_ == phase::confirming || phase_ == phase::examining)
        phase_ = phase::unresolved;
}

void single_node::stop_waiting_for_release() {
    if (!ours_)
        return;
    if (const auto id = std::exchange(ours_->notify, 0))
        context_.events.on_released(id, failure::unreachable, zookeeper_code::ok);
}

void single_node::on_expired(failure releases) {
    const auto was = std::exchange(phase_, phase::free);
    const auto mine = ours_.value_or(own_node{});
    ++epoch_;
    again_.cancel();
    sweep_.cancel();
    sweep_wanted_ = false;
    own_watch_.cancel();
    forget_node();
    forget_abandoned();
    if (was == phase::held) {
        forget_holders(mine);
        if (context_.rules.tells_loss_of_session())
            tell_lost(mine, failure::lost_expired);
    } else if (was == phase::lost) {
        forget_holders(mine);
    }
    if (mine.notify != 0)
        context_.events.on_released(mine.notify, releases, zookeeper_code::ok);
    compete();
}

} // namespace turnstile::protocol
