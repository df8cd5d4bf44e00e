// SPDX-License-Identifier: BSL-1.0
#include "protocol/single_node/single_node.hpp"

#include "protocol/names/ticket_data.hpp"
#include "protocol/names/ticket_name.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::protocol {

namespace {

// After this many creates in a row that met no node, the lock path counts as unstable.
constexpr std::size_t most_creates = 64;

/// Whether the node that was read has this czxid. With another one it is another session's.
bool is_same(const reply& read, std::int64_t czxid) {
    return read.code == zookeeper_code::ok && read.stat.czxid == czxid;
}

/// Whether the node that was read is this session's, of this acquire or of an earlier one.
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
      hold_(shared),
      own_watch_(shared.clock),
      again_(shared.clock),
      sweep_(shared.clock) {}

void single_node::send(const request& what, reply_handler done) {
    ++open_;
    context_.requests.send(what, [this, done = std::move(done)](const reply& answer) {
        --open_;
        done(answer);
    });
}

void single_node::ask(const request& what, reply_handler done) {
    ++epoch_;
    ask_in_epoch(what, std::move(done));
}

void single_node::ask_in_epoch(const request& what, reply_handler done) {
    send(what, [this, during = phase{phase_}, epoch = epoch_,
                done = std::move(done)](const reply& answer) {
        if (epoch == epoch_ && phase_ == during && !outcome_unknown(answer.code))
            done(answer);
    });
}

void single_node::enter(ticket_id id, const acquire_request& wish, std::optional<instant> end) {
    if (wish.patient && phase_ == phase::held && context_.options.refuses_own_waits)
        return context_.lock_events.on_acquire_failed(id, failure::would_deadlock,
                                                      zookeeper_code::ok);
    ++uses_;
    // The caller's incarnation spares the look-up of the path. If it is wrong, the answer to the
    // next create corrects it.
    const auto known = directory_.incarnation();
    if (!directory_.is_busy() && wish.incarnation != 0 && (!known || *known < wish.incarnation))
        directory_.on_found(wish.incarnation);
    auto newcomer = std::make_unique<acquire>(id, wish, context_);
    if (end)
        newcomer->deadline.set(*end, [this, id] { cancel(id, context_.end_of_time()); });
    // A node that is being deleted does not count as taken.
    const bool node_is_kept = ours_ && (!ours_->leaving || phase_ == phase::undeletable);
    const bool taken = node_is_kept || std::ranges::any_of(waiting_, [](const auto& each) {
                           return !each->abandoned;
                       });
    const bool in_vain = taken && !wish.patient;
    owners_.emplace(id, this);
    waiting_.push_back(std::move(newcomer));
    if (in_vain)
        return cancel(id, failure::would_block);
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
    const bool abandoned = waiting_.front()->abandoned;
    pop_front();
    if (!abandoned)
        context_.lock_events.on_acquire_failed(id, why, code);
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
    const bool is_open =
        phase_ == phase::creating || phase_ == phase::unresolved || phase_ == phase::examining;
    const bool has_begun = !ours_ || !ours_->leaving; // else an earlier node is still being deleted
    if (competes && is_open && has_begun) { // its node may be there: it is kept until that is known
        (*found)->abandoned = true;
        (*found)->deadline.cancel();
    } else if (competes && phase_ == phase::confirming) { // its node is there
        pop_front();
        give_up_node();
    } else { // it has no node
        waiting_.erase(found);
        owners_.erase(id);
        if (competes && (phase_ == phase::asking || phase_ == phase::watching)) {
            forget_watch();
            ++epoch_;
            phase_.enter(phase::free);
        }
    }
    context_.lock_events.on_acquire_failed(id, why, code);
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
    const auto mine = extract_node(); // it goes with the session
    if (was_held)
        tell_lost(mine, failure::session_closed);
}

void single_node::on_connected() {
    if (phase_ == phase::held)
        watch_own_later(context_.random_spread());
    else
        go_on();
}

void single_node::go_on() {
    // A sweep (sweep_later) that became due without a connection runs here. It comes before the
    // acquires: they may end before one of them meets the node of the late create (O5).
    const bool sweeps = phase_ == phase::free && sweep_wanted_ && !sweep_.pending();
    if (phase_ == phase::unresolved || sweeps)
        examine();
    else
        compete();
}

void single_node::on_disconnected() {
    directory_.on_disconnected();
    own_watch_.cancel();
    again_.cancel();
    watched_ = false; // the watches ended with the connection
    ++epoch_;
    if (ours_)
        ours_->unseen = true;
    if (phase_ == phase::asking || phase_ == phase::watching)
        phase_.enter(phase::free);
    else if (phase_ == phase::confirming || phase_ == phase::examining)
        phase_.enter(phase::unresolved);
}

void single_node::stop_waiting_for_releases() {
    if (!ours_)
        return;
    if (const auto id = std::exchange(ours_->notify, 0))
        context_.lock_events.on_released(id, failure::unreachable, zookeeper_code::ok);
}

void single_node::on_expired(failure releases) {
    const bool was_held = phase_ == phase::held;
    sweep_.cancel();
    sweep_wanted_ = false;
    const auto mine = extract_node();
    forget_abandoned();
    if (was_held)
        tell_lost(mine, failure::session_expired);
    if (mine.notify != 0)
        context_.lock_events.on_released(mine.notify, releases, zookeeper_code::ok);
    compete();
}

// ---- the first acquire makes the node, or waits for the end of the node that is there ----

void single_node::compete() {
    if (phase_ != phase::free)
        return;
    forget_abandoned();
    if (waiting_.empty())
        return bytes_.give();
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
    const auto cost = ticket_cost(context_.options.chroot_bytes + node_.size());
    if (bytes_.empty() && !bytes_.take(context_.bytes, cost, false)) {
        fail_front(failure::session_full);
        return compete();
    }
    phase_.enter(phase::creating);
    ++epoch_;
    send({.op = operation::create_holder,
          .path = node_,
          .data = context_.options.who.str(waiting_.front()->mark.str())},
         [this](const reply& answer) { on_created(answer); });
}

void single_node::on_created(const reply& answer) {
    if (phase_ != phase::creating)
        return; // the session is over
    if (outcome_unknown(answer.code)) {
        phase_.enter(phase::unresolved);
        return;
    }
    phase_.enter(phase::free); // each branch below goes on from there
    using enum zookeeper_code;
    switch (answer.code) {
    case ok:
        directory_.on_found(answer.stat.czxid);
        // This stat is of the lock path, which the transaction set: its mzxid is the node's czxid.
        return on_node_made({.czxid = answer.stat.mzxid, .version = answer.stat.version},
                            answer.stat.children);
    case node_exists: // an acquire may not wait with bytes of the budget's reserve
        if (!bytes_.must_not_wait() || !waiting_.front()->wish.patient)
            return read_other_node();
        fail_front(failure::session_full);
        break;
    case no_node: // the server or another program deleted the path
        directory_.on_vanished();
        break;
    case no_auth:
        fail_front(answer.first_step_denied ? failure::write_denied : failure::create_denied,
                   answer.code);
        break;
    case throttled:
        return compete_later();
    default:
        fail_front(failure::server_error, answer.code);
    }
    compete();
}

void single_node::compete_later() {
    tries_ = 0;
    context_.ask_later(again_, [this] { go_on(); });
}

// Reads the node that is there, with a watch if the acquire waits. An acquire that may not wait
// reads it, too: a node that goes with no session is `wrong_kind` (O8).
void single_node::read_other_node() {
    forget_abandoned();
    if (waiting_.empty())
        return compete();
    phase_.enter(phase::asking);
    const bool waits = waiting_.front()->wish.patient;
    ask({.op = waits ? operation::get : operation::exists, .path = node_, .watch = waits},
        [this](const reply& answer) { on_other_node(answer); });
}

void single_node::on_other_node(const reply& answer) {
    phase_.enter(phase::free); // each branch below goes on from there
    if (is_own(answer, context_.session_id))
        return examine(); // an earlier create of this session was carried out late (O5)
    if (answer.code == zookeeper_code::throttled)
        return compete_later();
    const bool is_persistent =
        answer.code == zookeeper_code::ok && answer.stat.ephemeral_owner == 0;
    if (is_persistent || !waiting_.front()->wish.patient) {
        fail_front(is_persistent ? failure::wrong_kind : failure::would_block);
        return compete();
    }
    if (refused(answer.code))
        fail_front(failure_of_read(answer.code), answer.code);
    if (answer.code != zookeeper_code::ok)
        return compete();
    tries_ = 0;
    phase_.enter(phase::watching);
    set_watch();
}

bool single_node::on_watch(const std::string& node, watch_event event) {
    if (node == node_ && std::exchange(watched_, false))
        on_event(event);
    return node == node_;
}

void single_node::on_event(watch_event event) {
    if (phase_ == phase::watching) {
        phase_.enter(phase::free);
        return event == watch_event::deleted ? compete() : read_other_node();
    }
    if (!ours_ || ours_->leaving || phase_ == phase::lost)
        return; // in `lost` the place is kept all the same (O7)
    if (event == watch_event::deleted)
        return on_deleted_outside(evidence::certain);
    watch_own(); // another program has set the node's data
}

void single_node::read_again() {
    if (phase_ != phase::watching)
        return;
    forget_watch();
    phase_.enter(phase::free);
    read_other_node();
}

// The session has the node. It has the lock, too, if no other child stood under the path (O8).
void single_node::on_node_made(const own_node& mine, std::int32_t others) {
    forget_watch();
    ours_ = mine;
    auto& first = *waiting_.front();
    ours_->holders = {first.id};
    if (first.abandoned) {
        pop_front();
        return give_up_node();
    }
    if (is_renewed(first)) {
        fail_front(failure::path_renewed);
        return give_up_node();
    }
    if (others != 0) {
        fail_front(failure::wrong_kind);
        return give_up_node();
    }
    confirm();
}

void single_node::confirm() {
    phase_.enter(phase::confirming);
    ++epoch_;
    prove(hold_.before_grant(true));
}

void single_node::prove(grant_step next) {
    switch (next) {
    case grant_step::grant:
        return grant();
    case grant_step::check:
        return ask({.op = operation::check, .path = node_},
                   [this](const reply& answer) { prove(hold_.after_check(answer)); });
    case grant_step::restart:
        return on_deleted_outside(evidence::certain);
    case grant_step::wait:
        return;
    }
}

void single_node::grant() {
    phase_.enter(phase::held);
    if (const auto longest = waiting_.front()->wish.max_hold)
        hold_.limit_to(*longest);
    waiting_.pop_front(); // its id stays in owners_, as that of a handle
    tries_ = 0;
    hold_.grant(
        ours_->holders.front(), ours_->czxid, [this] { return ours_->holders; },
        [this] { lose(ours_->holders.front(), failure::held_too_long); });
    watch_own_later(lease_plan::spread(context_.lease.timeout()));
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
             if (!same || phase_ == phase::lost || outcome_unknown(answer.code))
                 return;
             // It is asked again: without a watch, another program could replace the node unseen.
             if (refused(answer.code))
                 return watch_own_later(lease_plan::asked_again(context_.lease.timeout()));
             if (!is_same(answer, czxid))
                 return on_deleted_outside(evidence::read);
             ours_->unseen = false;
             set_watch();
         });
}

void single_node::set_watch() {
    forget_watch();
    watched_ = true;
    context_.watches.add(node_, lock_watcher);
}

// The end of this session's node also ends the watch on it. A watch on another's is taken off.
void single_node::forget_watch() {
    const bool was_watched = std::exchange(watched_, false);
    if (was_watched && ours_)
        context_.watches.forget(node_, lock_watcher);
    else if (was_watched)
        context_.watches.remove(node_, lock_watcher);
}

// ---- finding out whose node is there ----

// Reads the path, and then the node. If the node is this session's, and was made before the path
// was read, no other has acquired the lock since: the path's version is the right one (O4).
void single_node::examine() {
    if (!context_.requests.connected()) {
        phase_.enter(phase::unresolved);
        return;
    }
    phase_.enter(phase::examining);
    const auto epoch = ++epoch_; // of both requests
    send({.op = operation::exists, .path = path_}, [this, epoch](const reply& answer) {
        if (epoch == epoch_)
            path_answer_ = answer; // whatever the outcome: the answer for the node looks at it
    });
    ask_in_epoch({.op = operation::get, .path = node_}, [this](const reply& found) {
        if (outcome_unknown(path_answer_.code))
            return;
        if (found.code == zookeeper_code::no_auth && !ours_)
            return ask_owner();
        if (refused(found.code) || refused(path_answer_.code))
            return examine_later();
        on_examined(found);
    });
}

// The session may not read the node, but `exists` shows its owner. A node of this session is asked
// for again later, since only its data shows which acquire made it (O4).
void single_node::ask_owner() {
    ask({.op = operation::exists, .path = node_}, [this](const reply& found) {
        if (refused(found.code) || refused(path_answer_.code) || is_own(found, context_.session_id))
            return examine_later();
        on_examined(found);
    });
}

void single_node::examine_later() {
    phase_.enter(phase::unresolved);
    context_.ask_later(again_, [this] { go_on(); });
}

void single_node::on_examined(const reply& found) {
    phase_.enter(phase::free); // each branch below goes on from there
    if (ours_)
        return on_own_examined(found);
    if (!sweep_.pending())
        sweep_wanted_ = false; // this read came after each create that could come late (O5)
    if (!is_own(found, context_.session_id)) {
        if (!waiting_.empty())
            sweep_later(); // the create may have been held back on its way (O5)
        return compete();
    }
    // The create was carried out between the two reads: the path's version is too old (O4).
    if (path_answer_.code != zookeeper_code::ok || path_answer_.stat.mzxid < found.stat.czxid)
        return examine();
    const own_node mine{.czxid = found.stat.czxid, .version = path_answer_.stat.version};
    directory_.on_found(path_answer_.stat.czxid);
    if (!waiting_.empty() && request_of(found.data) == waiting_.front()->mark.str())
        return on_node_made(mine, path_answer_.stat.children - 1);
    if (!waiting_.empty())
        sweep_later(); // it is not the last create's, whose node may still come
    ours_ = mine;      // the acquire that made it is over
    give_up_node();
}

void single_node::on_own_examined(const reply& found) {
    if (!is_same(found, ours_->czxid)) {
        if (ours_->leaving)
            return on_node_gone(ours_->tried ? failure::none : failure::ticket_deleted);
        // The session had made the node, and was not granted the lock yet. `free`, which
        // on_examined() has entered, does not say that.
        phase_.enter(phase::confirming);
        return on_deleted_outside(evidence::certain);
    }
    ours_->version = path_answer_.stat.version; // read before the node, as examine() says
    ours_->unseen = false;
    if (ours_->leaving)
        return delete_node();
    if (!waiting_.front()->abandoned)
        return confirm();
    pop_front();
    give_up_node();
}

// Another program has deleted the node. If only a read shows that, this session deletes it all the
// same: a node that stayed would keep all others out (Q15).
void single_node::on_deleted_outside(evidence known_by) {
    const phase was = phase_;
    const auto mine = *ours_;
    const bool is_gone = known_by == evidence::certain;
    end_hold();
    if (is_gone) {
        forget_node();
        phase_.enter(phase::free);
        ++epoch_;
    }
    if (was == phase::held) {
        forget_holders(mine);
        context_.events.on_note(log_level::info, "held node deleted from outside: " + node_);
        tell_lost(mine, failure::ticket_deleted);
    }
    if (is_gone)
        return compete();
    // The read may be old, so the node is looked for again, to be deleted. `tried`: if it is gone
    // by then, that counts as deleted by this session, and not as `ticket_deleted`.
    ours_->leaving = ours_->tried = true;
    examine();
}

bool single_node::on_missing(const std::string& node) {
    if (node == node_ && phase_ == phase::held)
        on_deleted_outside(evidence::certain);
    return node == node_;
}

// Examines a time T later: a create whose answer was lost may be carried out as late (O5).
void single_node::sweep_later() {
    sweep_wanted_ = true;
    sweep_.set(context_.now() + lease_plan::late_create(context_.lease.timeout()), [this] {
        if (phase_ != phase::free || !waiting_.empty())
            sweep_later();
        else if (context_.requests.connected())
            examine(); // else on the next connection
    });
}

// ---- the session's node: shared, released, lost, deleted or undeletable ----

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
    const auto why = hold_.why_lost();
    const bool was_lost = hold_.is_lost(); // the loss was reported: nothing to wait for
    auto& holders = ours_->holders;
    std::erase(holders, id);
    owners_.erase(id);
    const bool was_last = holders.empty();
    const bool was_in_held = context_.held.erase(id) > 0; // only the first handle is in it
    if (was_in_held && !was_last)
        context_.held.insert(holders.front());
    if (was_lost || !was_last)
        context_.lock_events.on_released(id, why, zookeeper_code::ok);
    if (was_last)
        give_up_node(was_lost ? 0 : id);
    return true;
}

void single_node::tell_lost(const own_node& what, failure why) {
    for (const auto id : what.holders)
        context_.lock_events.on_lost(id, why);
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
    phase_.enter(phase::lost);
    hold_.lose(id, ours_->holders, why, [this] {
        forget_holders(*ours_);
        give_up_node();
    });
}

void single_node::end_hold() {
    hold_.end();
    own_watch_.cancel();
    forget_watch();
}

void single_node::give_up_node(ticket_id notify) {
    end_hold();
    ours_->leaving = true;
    ours_->notify = notify;
    delete_node();
}

void single_node::delete_node() {
    ++epoch_;
    if (ours_->unseen || !context_.requests.connected())
        return examine();
    phase_.enter(phase::deleting);
    send({.op = operation::delete_holder, .path = node_, .version = ours_->version},
         [this](const reply& answer) { on_delete_answer(answer); });
}

void single_node::on_delete_answer(const reply& answer) {
    if (phase_ != phase::deleting)
        return; // the session is over
    using enum zookeeper_code;
    switch (answer.code) {
    case ok:
        return on_node_gone(failure::none);
    case no_node: // at the first try it shows that another program has deleted the node
        return on_node_gone(ours_->tried ? failure::none : failure::ticket_deleted);
    case bad_version: // another session has acquired since, or another program has set the path
        return examine();
    case no_auth: // DELETE is denied, or READ, without which the version is unknown (O9)
        return answer.first_step_denied ? examine_later() : on_delete_denied(answer.code);
    case throttled:
        return examine_later();
    default:
        break;
    }
    ours_->tried = true;
    phase_.enter(phase::unresolved);
    if (!outcome_unknown(answer.code))
        context_.drop_connection(); // the next connection shows whether the node stands
}

single_node::own_node single_node::extract_node() {
    const bool was_granted = phase_ == phase::held || phase_ == phase::lost;
    auto mine = ours_.value_or(own_node{});
    ++epoch_;
    phase_.enter(phase::free);
    again_.cancel();
    forget_node();
    if (was_granted)
        forget_holders(mine);
    return mine;
}

void single_node::forget_node() {
    end_hold();
    ours_.reset();
    bytes_.give();
}

void single_node::on_node_gone(failure why) {
    const auto id = ours_->notify;
    forget_node();
    phase_.enter(phase::free);
    if (id != 0)
        context_.lock_events.on_released(id, why, zookeeper_code::ok);
    compete();
}

// The release fails with release_denied. Acquires of this session go on waiting (O9a).
void single_node::on_delete_denied(zookeeper_code code) {
    const auto id = std::exchange(ours_->notify, 0);
    phase_.enter(phase::undeletable);
    if (id != 0) {
        context_.lock_events.on_released(id, failure::release_denied, code);
        context_.events.on_note(log_level::warning,
                                "DELETE is denied: the node stays until the right is given, or the "
                                "session ends: " +
                                    node_);
    }
    if (!waiting_.empty() && !waiting_.front()->wish.patient)
        fail_front(failure::would_block);
}

} // namespace turnstile::protocol
