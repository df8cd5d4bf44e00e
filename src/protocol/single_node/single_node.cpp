// SPDX-License-Identifier: BSL-1.0
#include "protocol/single_node/single_node.hpp"

#include "protocol/names/ticket_data.hpp"
#include "protocol/names/ticket_name.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::protocol {

namespace {

// Creates in a row that found neither the path nor a node: the path is unstable.
constexpr std::size_t most_creates = 64;

/// A node of the same name with another czxid is another's.
bool is_same(const reply& read, std::int64_t czxid) {
    return read.code == zookeeper_code::ok && read.stat.czxid == czxid;
}

/// A node of this session was made for it, for which acquire ever. It waits for no other.
bool is_own(const reply& read, std::int64_t session) {
    return read.code == zookeeper_code::ok && read.stat.ephemeral_owner == session;
}

} // namespace

single_node::single_node(session_context& shared, std::string path, owner_table& owners)
    : context_(shared),
      owners_(owners),
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

void single_node::ask(const request& what, reply_handler done) {
    send(what,
         [this, during = phase_, epoch = ++epoch_, done = std::move(done)](const reply& answer) {
             if (epoch == epoch_ && phase_ == during && !outcome_unknown(answer.code))
                 done(answer);
         });
}

void single_node::enter(std::unique_ptr<acquire> newcomer) {
    ++uses_;
    const auto id = newcomer->id;
    // What leaves is free for the next one.
    const bool stays = ours_ && (!ours_->leaving || phase_ == phase::kept);
    const bool taken = !waiting_.empty() || stays;
    const bool in_vain = taken && !newcomer->patient;
    owners_.emplace(id, this);
    waiting_.push_back(std::move(newcomer));
    if (in_vain)
        return cancel(id, failure::would_block);
    if (phase_ == phase::free)
        compete();
}

void single_node::retry_denied() {
    if (phase_ == phase::kept)
        examine();
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
    const bool abandoned = waiting_.front()->abandoned;
    pop_front();
    if (!abandoned)
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
    sweep_.cancel();
    sweep_wanted_ = false;
    while (!waiting_.empty())
        fail_front(failure::session_closed);
    if (ours_ && ours_->leaving)
        return; // its release is awaited
    const bool was_held = phase_ == phase::held;
    const auto mine = end_node(); // it goes with the session
    if (was_held)
        tell_lost(mine, failure::session_closed);
}

void single_node::on_connected() {
    if (phase_ == phase::held)
        watch_own_later(context_.random_spread());
    else if (phase_ == phase::unresolved)
        examine();
    // Its time came without a connection, and it does not come again: those who wait may go, or not
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

void single_node::stop_waiting_for_releases() {
    if (!ours_)
        return;
    if (const auto id = std::exchange(ours_->notify, 0))
        context_.events.on_released(id, failure::unreachable, zookeeper_code::ok);
}

void single_node::on_expired(failure releases) {
    const bool was_held = phase_ == phase::held;
    sweep_.cancel();
    sweep_wanted_ = false;
    const auto mine = end_node();
    forget_abandoned();
    if (was_held)
        tell_lost(mine, failure::session_expired);
    if (mine.notify != 0)
        context_.events.on_released(mine.notify, releases, zookeeper_code::ok);
    compete();
}

// Make the node, or wait for the one that is there.

void single_node::compete() {
    if (phase_ != phase::free)
        return;
    forget_abandoned();
    if (waiting_.empty())
        return give_bytes();
    if (!context_.requests.connected())
        return;
    if (!directory_.incarnation())
        return directory_.find();
    if (is_renewed(*waiting_.front())) {
        fail_front(failure::path_renewed);
        return compete();
    }
    if (++tries_ > most_creates) {
        fail_front(failure::path_unstable);
        return compete();
    }
    if (paid_ == 0) {
        if (!context_.bytes.fits(cost(), false)) {
            fail_front(failure::session_full);
            return compete();
        }
        in_reserve_ = !context_.bytes.fits(cost(), true);
        paid_ = cost();
        context_.bytes.take(paid_);
    }
    phase_ = phase::creating;
    ++epoch_;
    send({.op = operation::create_holder,
          .path = node_,
          .data = context_.options.who.str(waiting_.front()->request.str())},
         [this](const reply& answer) { on_created(answer); });
}

void single_node::on_created(const reply& answer) {
    if (phase_ != phase::creating)
        return; // the session is over
    if (outcome_unknown(answer.code)) {
        phase_ = phase::unresolved;
        return;
    }
    phase_ = phase::free;
    using enum zookeeper_code;
    switch (answer.code) {
    case ok:
        directory_.found(answer.stat.czxid);
        return take({.czxid = answer.stat.mzxid, .version = answer.stat.version},
                    answer.stat.children);
    case node_exists:
        in_reserve_ = in_reserve_ && !context_.bytes.fits(0, true);
        if (!waiting_.front()->patient || !in_reserve_)
            return look();
        fail_front(failure::session_full);
        break;
    case no_node: // reaped, or deleted by somebody
        directory_.vanished();
        break;
    case no_auth:
        fail_front(answer.set_denied ? failure::write_denied : failure::create_denied, answer.code);
        break;
    default:
        fail_front(failure::server_error, answer.code);
    }
    compete();
}

// Who may not wait asks, too, only whether the node goes with a session.
void single_node::look() {
    forget_abandoned();
    if (waiting_.empty())
        return compete();
    phase_ = phase::asking;
    const bool waits = waiting_.front()->patient;
    ask({.op = waits ? operation::get : operation::exists, .path = node_, .watch = waits},
        [this](const reply& answer) { on_found(answer); });
}

void single_node::on_found(const reply& answer) {
    phase_ = phase::free;
    if (is_own(answer, context_.session_id))
        return examine(); // an earlier create of this session appeared late
    const bool stays = answer.code == zookeeper_code::ok && answer.stat.ephemeral_owner == 0;
    if (stays || !waiting_.front()->patient) {
        fail_front(stays ? failure::wrong_kind : failure::would_block);
        return compete();
    }
    if (answer.code == zookeeper_code::no_node)
        return compete();
    if (answer.code != zookeeper_code::ok) {
        fail_front(failure_of_read(answer.code), answer.code);
        return compete();
    }
    tries_ = 0;
    phase_ = phase::watching;
    set_watch(waiting_.front()->id);
}

void single_node::on_watch(ticket_id watcher, watch_event event) {
    if (watcher_ != watcher)
        return;
    watcher_.reset();
    if (phase_ == phase::watching) {
        phase_ = phase::free;
        return event == watch_event::deleted ? compete() : look();
    }
    if (!ours_ || ours_->leaving)
        return;
    if (event == watch_event::deleted)
        return on_deleted_outside(true);
    watch_own(); // somebody set its data
}

void single_node::read_again() {
    if (phase_ != phase::watching)
        return;
    forget_watch();
    phase_ = phase::free;
    look();
}

bool single_node::is_renewed(const acquire& who) const {
    return who.wanted != 0 && who.wanted != *directory_.incarnation();
}

// The node is ours. The lock is, if no other node stood under the path before.
void single_node::take(const own_node& mine, std::int32_t others) {
    forget_watch();
    ours_ = mine;
    auto& first = *waiting_.front();
    ours_->holders = {first.id};
    if (first.abandoned) {
        pop_front();
        return leave(0);
    }
    if (is_renewed(first)) {
        fail_front(failure::path_renewed);
        return leave(0);
    }
    if (others != 0) {
        fail_front(failure::wrong_kind);
        return leave(0);
    }
    confirm();
}

void single_node::confirm() {
    phase_ = phase::confirming;
    ++epoch_;
    if (context_.lease_is_fresh())
        return grant();
    ask({.op = operation::check, .path = node_}, [this](const reply& answer) {
        if (answer.code == zookeeper_code::no_node)
            return on_deleted_outside(true);
        if (answered(answer.code) && context_.lease_is_fresh())
            return grant();
        context_.prove_anew(answer.code, [&] { confirm(); });
    });
}

void single_node::grant() {
    phase_ = phase::held;
    const auto id = ours_->holders.front();
    limit_ = std::move(waiting_.front()->limit);
    waiting_.pop_front(); // and stays among the owners
    tries_ = 0;
    context_.held.insert(id);
    context_.tell_deadline();
    context_.events.on_granted(id, ours_->czxid);
    watch_own_later(lease_plan::spread(context_.lease.timeout()));
    if (limit_)
        limit_->start(
            [this] {
                for (const auto each : ours_->holders)
                    context_.events.on_limit_near(each);
            },
            [this] { lose(ours_->holders.front(), failure::held_too_long); });
}

void single_node::watch_own_later(duration delay) {
    own_watch_.set(context_.now() + delay, [this] { watch_own(); });
}

void single_node::watch_own() {
    if (!context_.requests.connected() || phase_ != phase::held)
        return;
    send({.op = operation::get, .path = node_, .watch = true},
         [this, czxid = ours_->czxid](const reply& answer) {
             const bool same = ours_ && ours_->czxid == czxid && !ours_->leaving;
             if (!same || outcome_unknown(answer.code))
                 return;
             // Until it is watched, a node that another program makes in its place looks like it.
             if (refused(answer.code))
                 return watch_own_later(lease_plan::asked_again(context_.lease.timeout()));
             if (!is_same(answer, czxid))
                 return on_deleted_outside(false);
             ours_->unseen = false;
             set_watch(ours_->holders.front());
         });
}

void single_node::set_watch(ticket_id whose) {
    forget_watch();
    watcher_ = whose;
    context_.watches.add(node_, whose);
}

void single_node::forget_watch() {
    const auto who = std::exchange(watcher_, std::nullopt);
    if (who && ours_)
        context_.watches.forget(node_, *who);
    else if (who)
        context_.watches.remove(node_, *who);
}

// Whose node stands there. The path first: if the node that is read after it is ours, no other has
// acquired since that version was the path's.
void single_node::examine() {
    if (!context_.requests.connected()) {
        phase_ = phase::unresolved;
        return;
    }
    phase_ = phase::examining;
    const auto epoch = epoch_ + 1; // as the question below has it
    send({.op = operation::exists, .path = path_}, [this, epoch](const reply& answer) {
        if (epoch == epoch_)
            folder_ = answer;
    });
    ask({.op = operation::get, .path = node_}, [this](const reply& found) {
        if (outcome_unknown(folder_.code))
            return;
        if (found.code == zookeeper_code::no_auth && !ours_)
            return ask_owner();
        if (refused(found.code) || refused(folder_.code))
            return examine_later();
        conclude(found);
    });
}

// A node that may not be read still tells whose it is. One of this session that may not be read is
// asked for again: which acquire made it is unknown.
void single_node::ask_owner() {
    ask({.op = operation::exists, .path = node_}, [this](const reply& found) {
        if (refused(found.code) || refused(folder_.code) || is_own(found, context_.session_id))
            return examine_later();
        conclude(found);
    });
}

void single_node::examine_later() {
    phase_ = phase::unresolved;
    again_.set(context_.now() + lease_plan::asked_again(context_.lease.timeout()), [this] {
        if (phase_ == phase::unresolved && context_.requests.connected())
            examine();
    });
}

void single_node::conclude(const reply& found) {
    phase_ = phase::free;
    if (ours_)
        return conclude_own(found);
    if (!sweep_.pending())
        sweep_wanted_ = false;
    if (!is_own(found, context_.session_id)) {
        if (!waiting_.empty())
            sweep_later(); // its create may have been held back on its way
        return compete();
    }
    // The create was carried out between the two reads: the first is older than the node.
    if (folder_.code != zookeeper_code::ok || folder_.stat.mzxid < found.stat.czxid)
        return examine();
    const own_node mine{.czxid = found.stat.czxid, .version = folder_.stat.version};
    directory_.found(folder_.stat.czxid);
    if (!waiting_.empty() && request_of(found.data) == waiting_.front()->request.str())
        return take(mine, folder_.stat.children - 1);
    ours_ = mine; // of an acquire that is over
    leave(0);
}

void single_node::conclude_own(const reply& found) {
    if (!is_same(found, ours_->czxid)) {
        if (ours_->leaving)
            return gone(ours_->tried ? failure::none : failure::ticket_deleted);
        phase_ = phase::confirming;
        return on_deleted_outside(true);
    }
    ours_->version = folder_.stat.version; // of before the node was read
    ours_->unseen = false;
    if (ours_->leaving)
        return remove();
    if (!waiting_.front()->abandoned)
        return confirm();
    pop_front();
    leave(0);
}

// Where only a read shows it, the node is deleted all the same: one that stays would keep all
// others out.
void single_node::on_deleted_outside(bool certain) {
    const auto was = phase_;
    const auto mine = *ours_;
    end_hold();
    if (certain) {
        forget_node();
        phase_ = phase::free;
        ++epoch_;
    }
    if (was == phase::held || was == phase::lost)
        forget_holders(mine);
    if (was == phase::held) {
        context_.events.on_note(log_level::info, "held node deleted from outside: " + node_);
        tell_lost(mine, failure::ticket_deleted);
    }
    if (certain)
        return compete();
    ours_->leaving = ours_->tried = true;
    examine();
}

bool single_node::on_missing(const std::string& node) {
    if (node == node_ && phase_ == phase::held)
        on_deleted_outside(true);
    return node == node_;
}

void single_node::sweep_later() {
    sweep_wanted_ = true;
    sweep_.set(context_.now() + lease_plan::late_create(context_.lease.timeout()), [this] {
        if (phase_ != phase::free || !waiting_.empty())
            sweep_later();
        else if (context_.requests.connected())
            examine(); // else on the next connection
    });
}

// What becomes of a node that is ours: shared, released, lost, deleted, or kept.

bool single_node::is_holder(ticket_id id) const {
    const bool was_granted = phase_ == phase::held || phase_ == phase::lost;
    return was_granted && std::ranges::find(ours_->holders, id) != ours_->holders.end();
}

void single_node::share(ticket_id holder, ticket_id further) {
    if (!is_holder(holder))
        return;
    ours_->holders.push_back(further);
    owners_.emplace(further, this);
}

bool single_node::release(ticket_id id) {
    if (!is_holder(id))
        return false;
    const auto why = ours_->why_lost;
    const bool was_lost = why != failure::none; // nothing to wait for
    auto& holders = ours_->holders;
    std::erase(holders, id);
    owners_.erase(id);
    const bool was_last = holders.empty();
    const bool was_known = context_.held.erase(id) > 0; // by the first of the handles
    if (was_known && !was_last)
        context_.held.insert(holders.front());
    if (!was_last && watcher_ == id)
        set_watch(holders.front());
    if (was_lost || !was_last)
        context_.events.on_released(id, why, zookeeper_code::ok);
    if (was_last)
        leave(was_lost ? 0 : id);
    return true;
}

void single_node::tell_lost(const own_node& what, failure why) {
    for (const auto id : what.holders)
        context_.events.on_lost(id, why);
}

void single_node::forget_holders(const own_node& what) {
    for (const auto id : what.holders) {
        context_.held.erase(id);
        owners_.erase(id);
    }
}

void single_node::lose(ticket_id id, failure why) {
    if (phase_ != phase::held || ours_->holders.front() != id)
        return;
    context_.held.erase(id);
    phase_ = phase::lost;
    ours_->why_lost = why;
    limit_.reset();
    place_expiry_.set(context_.end_of_place(why), [this] {
        if (phase_ != phase::lost)
            return;
        forget_holders(*ours_);
        leave(0);
    });
    tell_lost(own_node(*ours_), why);
}

void single_node::end_hold() {
    limit_.reset();
    place_expiry_.cancel();
    own_watch_.cancel();
    forget_watch();
}

void single_node::leave(ticket_id notify) {
    end_hold();
    ours_->leaving = true;
    ours_->notify = notify;
    remove();
}

void single_node::remove() {
    ++epoch_;
    if (ours_->unseen || !context_.requests.connected())
        return examine();
    phase_ = phase::deleting;
    send({.op = operation::delete_holder, .path = node_, .version = ours_->version},
         [this](const reply& answer) { on_removed(answer); });
}

void single_node::on_removed(const reply& answer) {
    if (phase_ != phase::deleting)
        return; // the session is over
    using enum zookeeper_code;
    switch (answer.code) {
    case ok:
        return gone(failure::none);
    case no_node: // gone before our first try: deleted from outside
        return gone(ours_->tried ? failure::none : failure::ticket_deleted);
    case bad_version: // another has acquired since, or the lock path was set from outside
        return examine();
    case no_auth: // READ of the path, without which its version is not known, or DELETE
        return answer.set_denied ? examine_later() : keep(answer.code);
    case throttled:
        return examine_later();
    default:
        break;
    }
    ours_->tried = true;
    phase_ = phase::unresolved;
    if (!outcome_unknown(answer.code))
        context_.drop_connection(); // it may stand: looked for on the next connection
}

// Nothing of ours is there any more. Those who wait are not holders yet.
single_node::own_node single_node::end_node() {
    const bool was_granted = phase_ == phase::held || phase_ == phase::lost;
    auto mine = ours_.value_or(own_node{});
    ++epoch_;
    phase_ = phase::free;
    again_.cancel();
    forget_node();
    if (was_granted)
        forget_holders(mine);
    return mine;
}

void single_node::forget_node() {
    ours_.reset();
    end_hold();
    give_bytes();
}

void single_node::give_bytes() { context_.bytes.give(std::exchange(paid_, 0)); }

void single_node::gone(failure why, zookeeper_code code) {
    const auto id = ours_->notify;
    forget_node();
    phase_ = phase::free;
    if (id != 0)
        context_.events.on_released(id, why, code);
    compete();
}

// Those of this session that wait go on waiting, as all others.
void single_node::keep(zookeeper_code code) {
    const auto id = std::exchange(ours_->notify, 0);
    phase_ = phase::kept;
    if (id != 0) {
        context_.events.on_released(id, failure::release_denied, code);
        context_.events.on_note(log_level::warning,
                                "DELETE is denied: the node stays until the right is given, or the "
                                "session ends: " +
                                    node_);
    }
    if (!waiting_.empty() && !waiting_.front()->patient)
        fail_front(failure::would_block);
}

} // namespace turnstile::protocol
