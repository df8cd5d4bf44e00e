// SPDX-License-Identifier: BSL-1.0
// The witness of the servers: what they carry out and who stands in line, which only the model
// knows.
//
// - An owner is a ticket before which no other stands. Its process may hold the lock.
// - An operator may delete a ticket (`condemned_`, and `deleted_` once it is done). If it was an
//   owner's, its process believes for a while that it holds the lock, beside the next owner. Such a
//   belief is excused: no library can prevent it.
// - A twin is another program's node that has got the name of a ticket that is gone.
// - A request is late if it was on its way when its connection ended, and is carried out afterwards
//   (model_txn::held_since).
#include "simulation.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::test {

using namespace std::chrono_literals;

namespace {

bool has_made(const model_txn& txn, const std::string& path, const model_replica& where) {
    return where.tree().read({.op = protocol::operation::exists, .path = path}).stat.czxid ==
           txn.zxid;
}

bool has_downgraded(const model_txn& txn, const model_replica& where) { // and was not refused
    return txn.what == model_txn::kind::request &&
           txn.request.op == protocol::operation::downgrade &&
           has_made(txn, txn.request.target, where);
}

std::string path_of_limit() {
    return std::string(semaphore_path) + '/' + std::string(protocol::limit_name);
}

/// Whether it set the semaphore's limit, or removed the semaphore, and was not refused.
bool has_changed_limit(const model_txn& txn, const model_replica& where) {
    const auto& steps = txn.request.steps;
    if (txn.what != model_txn::kind::request || txn.request.op != protocol::operation::transact ||
        steps.front().what != protocol::step_kind::set)
        return false;
    const auto limit = path_of_limit();
    const bool sets = steps.front().path == limit;
    const bool removes = std::ranges::any_of(steps, [&](const auto& step) {
        return step.what == protocol::step_kind::remove && step.path == limit;
    });
    return (sets || removes) &&
           where.tree()
                   .read({.op = protocol::operation::exists, .path = steps.front().path})
                   .stat.mzxid == txn.zxid;
}

} // namespace

void simulation::on_applied(const model_replica& where, const model_txn& txn, std::size_t others) {
    // The model's own invariant: every server applies the same.
    const auto [first, is_new] = applied_.emplace(txn.zxid, &txn);
    if (!is_new && first->second != &txn)
        reports_.push_back("the model is wrong: server " + std::to_string(where.index()) +
                           " applied another transaction " + std::to_string(txn.zxid));
    auto& before = newest_[where.index()];
    if (before >> 32 == txn.zxid >> 32 && before + 1 != txn.zxid)
        reports_.push_back("the model is wrong: server " + std::to_string(where.index()) +
                           " applied " + std::to_string(txn.zxid) + " after " +
                           std::to_string(before));
    before = txn.zxid;
    if (is_new)
        on_committed(where, txn);
    if (is_new && plan_.surveys)
        note_line(where);
    if (is_new && plan_.limit_changes)
        note_limit(where);
    if (is_new && plan_.followers)
        for (const auto& path : lines())
            leader_numbers_.try_emplace({path, first_of(where.tree(), path).second},
                                        leader_numbers_.size() + 1);
    if (is_new && plan_.counts)
        note_count(where, txn);
    // A release wakes one waiter: the watches of other sessions that it fires are counted. They are
    // not counted under faults, nor where more may rightly fire. With changes of the limit, an
    // acquire that was refused leaves its watch behind. On the quiet path, several readers wait for
    // one writer. And each ticket that was deleted again for want of budget leaves one watch
    // behind.
    if (txn.what != model_txn::kind::request || txn.request.op != protocol::operation::release ||
        !plan_.is_calm() || plan_.limit_changes || lock_of(txn.request.path) == quiet_path)
        return;
    const auto left_behind = taken_back_[lock_of(txn.request.path)];
    if (auto& count = woken_[txn.zxid]; (count += others) > 1 + left_behind)
        reports_.push_back("the release of " + txn.request.path + " woke " + std::to_string(count));
}

void simulation::on_committed(const model_replica& where, const model_txn& txn) {
    static const auto node =
        std::string(single_node_path) + '/' + std::string(protocol::holder_name);
    const auto holder = std::exchange(
        holder_, where.tree().read({.op = protocol::operation::exists, .path = node}).stat);
    using enum protocol::operation;
    const auto op = txn.request.op;
    if (has_made(txn, single_node_path, where))
        single_path_made_ = events_.now();
    if (has_made(txn, path_of_limit(), where))
        limit_made_ = events_.now();
    // A ticket without room in the budget is deleted again.
    if (plan_.small_budget && txn.what == model_txn::kind::request && op == remove)
        ++taken_back_[lock_of(txn.request.path)];
    // Twins: another program may take a name that is free now, and a late request may delete a
    // twin.
    if (plan_.foreign_twins && txn.what == model_txn::kind::request &&
        (op == release || op == remove))
        take_name(txn.request.path);
    if (txn.what == model_txn::kind::twin && has_made(txn, txn.path, where))
        twins_[txn.path] = {txn.session, events_.now()};
    if (op == transact) // as the take of a permit deletes the ticket that it was taken with
        for (const auto& step : txn.request.steps)
            if (step.what == protocol::step_kind::remove && !where.tree().has(step.path))
                note_if_twin_was_deleted(txn, step.path);
    // Changes of the limit, hand-overs and downgrades, by which later events are judged.
    // A change that comes late may meet a semaphore that was made anew since it was sent.
    const bool is_of_former = txn.held_since && *txn.held_since < limit_made_;
    if (has_changed_limit(txn, where) && !is_of_former)
        for (const auto& client : clients_)
            if (client->session() == txn.session)
                client->on_committed_change(txn.held_since);
    if (txn.what == model_txn::kind::request && op == release &&
        !where.tree().has(txn.request.path))
        if (const auto name = protocol::ticket_name::parse(
                std::string_view(txn.request.path).substr(txn.request.path.rfind('/') + 1)))
            handed_over_[name->incarnation] = name->sequence;
    if (has_downgraded(txn, where) && !note_if_twin_was_deleted(txn, txn.request.path))
        for (const auto& client : clients_)
            client->on_committed_downgrade(txn.request.path, txn.request.target, txn.zxid);
    // Deletions that take a ticket from its process: by a late request (meets_version_again), and
    // by an operator.
    if (op == delete_holder && holder.czxid != 0 && holder_.czxid == 0 &&
        meets_version_again(txn, holder))
        note_deleted({holder.czxid, lock_of(node)},
                     {.zxid = txn.zxid, .session = holder.ephemeral_owner});
    const auto condemned = condemned_.find(txn.path);
    if (txn.what != model_txn::kind::removal || condemned == condemned_.end())
        return;
    if (txn.path == node) // the one that stands there now
        condemned->second = holder;
    const auto session = condemned->second.ephemeral_owner;
    const lock_node gone{condemned->second.czxid, lock_of(txn.path)};
    // A ticket may own the lock behind tickets of its session that are given up but not yet gone.
    const bool owned =
        std::ranges::any_of(clients_, [&](const auto& client) { return client->holds(gone); });
    note_deleted(gone, {.zxid = txn.zxid,
                        .session = session,
                        .was_owners = owned || !another_stood_before(where, txn.path, session)});
}

// Whether another ticket stood before this one when it was deleted, so that it was no owner. Two
// kinds of tickets before it do not count:
// - A reader's of the same session. After an upgrade the writer holds the lock, and the old node of
//   the reader that it was stands before it until it is deleted.
// - One below the last ticket that was released. That release says that all before it are given up.
//   Their deletions may be late, if a server with too much to do has sent them back.
bool simulation::another_stood_before(const model_replica& where, const std::string& path,
                                      std::int64_t owner) const {
    const auto folder = path.substr(0, path.rfind('/'));
    const auto its = protocol::ticket_name::parse(path.substr(folder.size() + 1));
    if (!its || lock_of(path) == semaphore_path) // which takes permits by transactions
        return false;
    const auto handed_over = handed_over_.find(its->incarnation);
    const auto given_up = handed_over == handed_over_.end() ? -1 : handed_over->second;
    const auto stands_before = [&](const std::string& child) {
        const auto other = protocol::parse_contender(child);
        if (!other || other->sequence >= its->sequence || other->sequence < given_up)
            return false;
        const bool reads = other->kind == protocol::ticket_kind::shared;
        if (its->kind == protocol::ticket_kind::shared)
            return !reads;
        const auto node =
            where.tree().read({.op = protocol::operation::exists, .path = folder + ('/' + child)});
        return !reads || node.stat.ephemeral_owner != owner;
    };
    return std::ranges::any_of(where.tree().children(folder), stands_before);
}

// From now on a process may believe wrongly that it holds the lock by this ticket. That is excused
// if the ticket was an owner's. It is not excused if the ticket waited: the library must not grant
// by a ticket that is gone. There is one exception. If an owner of the same session is deleted,
// too, that one may hand the lock over to the ticket that waited, before the session hears of
// either deletion.
void simulation::note_deleted(const lock_node& gone, const deletion& how) {
    deleted_[gone] = how;
    for (const auto& client : clients_)
        client->end_margin(gone);
    if (!how.was_owners)
        return;
    for (auto& [node, other] : deleted_) {
        if (node.lock != gone.lock || other.session != how.session)
            continue;
        other.was_owners = true;
        for (const auto& client : clients_)
            client->excuse_belief(node);
    }
}

// A lock of one node is deleted with a check of its path's version. A path that was made anew
// begins its versions anew. So a late deletion may find the same version again, and deletes a later
// node.
bool simulation::meets_version_again(const model_txn& txn,
                                     const protocol::node_stat& holder) const {
    if (txn.request.version == -1)
        return false;
    return txn.held_since ? single_path_made_ > *txn.held_since
                          : plan_.path_deletions && holder.ephemeral_owner != txn.session;
}

// Whether this transaction, which has deleted the node of this path, has deleted a twin. A
// downgrade and a take of permits delete by name, and no transaction can check whose node that is.
// So a late one may delete a twin that was made after its connection had ended. That is no fault of
// the library (replaced_). The ticket itself had gone before, so this is no downgrade of it.
bool simulation::note_if_twin_was_deleted(const model_txn& txn, const std::string& path) {
    const auto met = twins_.find(path);
    if (!txn.held_since || met == twins_.end() || met->second.made <= *txn.held_since)
        return false;
    replaced_.insert(met->second.whose);
    return true;
}

void simulation::note_line(const model_replica& where) {
    for (const auto* path : lock_paths)
        lines_[path].add(where.applied(), where.tree().children(path));
}

void simulation::note_limit(const model_replica& where) {
    const auto node = std::string(semaphore_path) + '/' + std::string(protocol::limit_name);
    const auto found = where.tree().read({.op = protocol::operation::get, .path = node});
    limits_.add(where.applied(), protocol::parse_limit(found.data));
}

// Only the present owner counts: a later one has a later ticket, and has read the number.
void simulation::note_count(const model_replica& where, const model_txn& txn) {
    if (txn.what != model_txn::kind::request || txn.request.op != protocol::operation::transact ||
        !txn.request.steps.back().path.starts_with("/data"))
        return;
    using enum protocol::operation;
    const auto& steps = txn.request.steps;
    const auto found = where.tree().read({.op = get, .path = steps.back().path});
    if (found.stat.mzxid != txn.zxid)
        return; // refused
    ++counted_;
    const auto by = where.tree().read({.op = exists, .path = steps.front().path}).stat.czxid;
    const auto [id, number] = count_in(found.data);
    const auto before = std::exchange(written_[steps.back().path], {by, number});
    if (by == 0 || by < before.by)
        reports_.push_back(name_of(id) + " wrote after a later holder");
    if (number != before.number + 1)
        reports_.push_back(name_of(id) + " wrote " + std::to_string(number) + " after " +
                           std::to_string(before.number));
}

// A holder that got permits before another one, and still believes that it holds them, held them
// when the other one got its own.
void simulation::check_limits() {
    const auto& holders = judge_.locks()[judge_.lock_named(semaphore_path)].holders.holders();
    const auto czxid_of = [&](const auto& each) { return judge_.of(each.who).token.czxid; };
    for (const auto& newest : holders) {
        promises::units held = 0;
        for (const auto& each : holders)
            if (czxid_of(each) <= czxid_of(newest))
                held += each.takes;
        const auto limit = limits_.at(static_cast<std::int64_t>(czxid_of(newest)));
        if (held > limit)
            reports_.push_back(name_of(newest.who) + " made it " + std::to_string(held) +
                               " permits where the limit was " + std::to_string(limit));
    }
}

// No ticket waits if all before it may hold the lock together with it.
void simulation::watch_queues() {
    if (!working_)
        return;
    for (const auto& path : lines()) {
        const auto& kind = judge_.locks()[judge_.lock_named(path)].kind;
        std::vector<promises::queue_watch::ticket> standing;
        for (const auto& child : ensemble_.truth().children(path)) {
            const auto name = protocol::ticket_name::parse(child);
            const auto node = ensemble_.truth().read(
                {.op = protocol::operation::exists, .path = path + ('/' + child)});
            const auto czxid = node.stat.czxid;
            const lock_node node_of_line{czxid, path};
            const bool granted =
                std::any_of(clients_.begin(), clients_.end(),
                            [&](const auto& each) { return each->holds(node_of_line); });
            const bool shared = name->kind == protocol::ticket_kind::shared;
            standing.push_back(
                {czxid, name->sequence, shared ? promises::reader : kind.all(), granted});
        }
        if (queues_[path].finds_forgotten(kind, std::move(standing),
                                          events_.now().time_since_epoch(), session_timeout / 5))
            reports_.push_back("somebody waits for " + path + ", and nothing stands in its way");
    }
    events_.after(session_timeout / 16, [this] { watch_queues(); });
}

} // namespace turnstile::test
