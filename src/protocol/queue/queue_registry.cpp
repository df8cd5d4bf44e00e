// SPDX-License-Identifier: BSL-1.0
#include "protocol/queue/queue_registry.hpp"

#include "protocol/names/lock_path.hpp"

#include <algorithm>
#include <array>

namespace turnstile::protocol {

namespace {

// With more queues than this, an idle queue is kept for a tenth of the usual time.
constexpr std::size_t many_queues = 4096;

// All waiting tickets are checked within this many beats. There are eight beats within T (Q15a).
constexpr std::size_t beats_for_all = 6;
// The most bytes of the checks in one beat. Each server that works accepts this size (size_limit).
constexpr std::size_t largest_beat = 2048;
constexpr std::size_t bytes_beside_path = 32;

/// The node whose event the ticket waits for; null if it waits for none.
const std::string* awaited_node(const ticket& who) {
    const bool waits = who.phase == ticket_phase::waiting && who.before && who.before->armed;
    return waits ? &who.before->path : nullptr;
}

} // namespace

bool queue_registry::is_nested(const std::string& path) const {
    return protocol::is_nested(path, locks_,
                               [](const auto& below) { return !below.second.lock->is_part(); });
}

ticket& queue_registry::make_ticket(ticket_id id, lock_queue& where, const acquire_request& what,
                                    std::optional<instant> end) {
    auto& newcomer = where.add(id);
    newcomer.kind = what.kind;
    newcomer.options = {
        .incarnation = what.incarnation, .wait = what.patient, .later_part = what.later_part};
    newcomer.value = what.value;
    newcomer.mark = {context_.random(), id};
    newcomer.started = context_.now();
    if (what.max_hold)
        newcomer.lock.limit_to(*what.max_hold);
    if (end)
        newcomer.deadline.set(*end, [this, id] { end_wait(id); });
    return newcomer;
}

// Any queue keeps a lock of one node away. A queue without tickets leaves the path free for a
// semaphore: a look-up may have made the queue.
bool queue_registry::occupies(const acquire_request& what) const {
    const auto queue = find(what.path);
    return queue && (what.single_node || !queue->tickets().empty());
}

// The queue of the path has to know it, since it deletes a path that this session made (retire).
void queue_registry::on_path_found(const acquire_request& what, const lock_directory& by) {
    at(what.path, lock_queue::purpose::lock, what.naming).take_over_incarnation(by);
}

void queue_registry::acquire(ticket_id id, const acquire_request& what,
                             std::optional<instant> end) {
    auto& where = at(what.path, lock_queue::purpose::lock, what.naming);
    if (where.naming() != what.naming)
        return context_.lock_events.on_acquire_failed(id, failure::wrong_kind, zookeeper_code::ok);
    where.suggest_incarnation(what.incarnation);
    if (const auto who =
            what.kind == ticket_kind::shared ? where.tickets().find_shareable(what) : nullptr)
        return join(*who, id, end);
    if (what.patient && context_.options.refuses_own_waits &&
        where.tickets().holds_against(what.kind))
        return context_.lock_events.on_acquire_failed(id, failure::would_deadlock,
                                                      zookeeper_code::ok);
    where.enter(make_ticket(id, where, what, end));
}

void queue_registry::join(ticket& who, ticket_id id, std::optional<instant> end) {
    const bool held = who.phase == ticket_phase::held;
    ++who.joins;
    table_.join(who, id, held ? std::nullopt : end, [this, id] { end_wait(id); });
    if (held)
        context_.lock_events.on_granted(id, who.czxid);
}

void queue_registry::end_wait(ticket_id id) {
    if (const auto who = table_.of_caller(id))
        who->where.cancel_caller(*who, id, context_.end_of_time());
}

bool queue_registry::cancel(watcher_id id, failure why) {
    const auto who = table_.of_caller(id);
    if (who)
        who->where.cancel_caller(*who, id, why);
    return who != nullptr;
}

bool queue_registry::share(ticket_id holder, ticket_id further) {
    const auto who = table_.of_caller(holder);
    if (!who || who->phase < ticket_phase::held)
        return false;
    table_.join(*who, further, std::nullopt, [] {});
    return true;
}

failure queue_registry::downgrade(ticket_id id) {
    auto& who = *table_.of_caller(id);
    if (who.phase < ticket_phase::held)
        return failure::lease_lost;
    who.where.changes().downgrade(who, id);
    return failure::none;
}

failure queue_registry::upgrade(ticket_id id, ticket_id writer) {
    auto& who = *table_.of_caller(id);
    if (who.phase < ticket_phase::held)
        return failure::lease_lost;
    who.where.changes().upgrade(who, id, writer, {context_.random(), writer});
    return failure::none;
}

bool queue_registry::release(ticket_id id) {
    const auto who = table_.of_caller(id);
    if (!who || who->phase < ticket_phase::held)
        return false;
    who->where.release(*who, id);
    return true;
}

bool queue_registry::lose(ticket_id id) {
    const auto who = table_.find(id);
    if (who)
        who->where.lose(*who, failure::lease_lost);
    return who != nullptr;
}

std::vector<std::string> queue_registry::nodes_of(ticket_id id) const {
    const auto own = table_.find(id);
    const auto who = own ? own : table_.of_caller(id);
    return who && who->has_node() ? std::vector{who->where.path_of(*who)}
                                  : std::vector<std::string>{};
}

// No check during a downgrade: the writer may be a reader by now, which must not write.
std::vector<transaction_step> queue_registry::proof_of(ticket_id caller) const {
    const auto who = table_.of_caller(caller);
    if (!who || who->phase != ticket_phase::held || who->is_downgrading())
        return {};
    return {{.what = step_kind::check, .path = who->where.path_of(*who)}};
}

std::size_t queue_registry::sharers_of(const std::string& path, const std::string& node) const {
    // "queue/<ticket>" is a ticket in a semaphore's queue.
    if (const auto slash = node.find('/'); slash != std::string::npos)
        return sharers_of(path + '/' + node.substr(0, slash), node.substr(slash + 1));
    const auto name = ticket_name::parse(node);
    const auto where = find(path);
    const auto found = name && where ? where->tickets().find(*name) : nullptr;
    return found ? std::max<std::size_t>(found->sharers.size(), 1) : 0;
}

void queue_registry::for_each_waiting(const waiting_action& action) const {
    for (const auto& [id, who] : table_)
        if (who->phase < ticket_phase::held && !who->abandoned)
            ticket_table::for_each_caller(*who, action);
}

void queue_registry::search_again() {
    for (const auto& [path, each] : locks_)
        each.lock->tickets().collect_searches(searches_);
    search_next_batch();
}

void queue_registry::search_next_batch() {
    for (std::size_t i = 0; i < context_.options.rewatch_window && !searches_.empty(); ++i) {
        const auto [id, epoch] = searches_.front();
        searches_.pop_front();
        if (const auto who = table_.find(id, epoch))
            who->where.order().search_again(*who);
    }
    if (searches_.empty())
        return;
    // The answer to this read comes behind those of the batch. Then the next batch goes.
    context_.requests.send({.op = operation::exists, .path = "/"}, [this](const reply& answer) {
        if (!outcome_unknown(answer.code))
            search_next_batch();
    });
}

void queue_registry::on_disconnected() {
    searches_.clear();
    table_.window.clear(); // each queue enqueues its unplaced tickets on the next connection
    locks_by_path::on_disconnected();
}

bool queue_registry::on_watch(watcher_id watcher, watch_event event, const std::string& node) {
    const auto who = table_.find(watcher);
    if (who)
        who->where.on_watch(*who, node, event);
    return who != nullptr;
}

bool queue_registry::on_missing(const std::string& node) {
    std::vector<ticket_id> waiting;
    for (const auto& [id, who] : table_) {
        if (who->has_node() && !who->is_changing() && who->where.path_of(*who) == node) {
            who->where.on_deleted_outside(*who);
            return true;
        }
        if (const auto awaited = awaited_node(*who); awaited && *awaited == node)
            waiting.push_back(id);
    }
    // By ids: on_missed_event() may end tickets, also those that come later in this loop.
    for (const auto id : waiting) {
        const auto who = table_.find(id);
        if (const auto awaited = who ? awaited_node(*who) : nullptr; awaited && *awaited == node)
            who->where.on_missed_event(*who);
    }
    return !waiting.empty();
}

void queue_registry::add_checks(std::vector<std::string>& nodes, bool by_reads) {
    const auto bytes_of = [&](const std::string& node) {
        return context_.options.chroot_bytes + node.size() + bytes_beside_path;
    };
    std::size_t bytes = 0;
    for (const auto& node : nodes)
        bytes += bytes_of(node);
    for (const auto id : take_due_checks(by_reads)) {
        auto& who = *table_.find(id);
        const std::array pair{who.where.path_of(who), *awaited_node(who)};
        bytes += bytes_of(pair[0]) + bytes_of(pair[1]);
        if (!by_reads && bytes <= largest_beat)
            nodes.insert(nodes.end(), pair.begin(), pair.end());
        else
            who.where.order().check_by_reads(who);
    }
}

std::vector<ticket_id> queue_registry::take_due_checks(bool by_reads) {
    std::vector<ticket_id> waiting;
    for (const auto& [id, who] : table_)
        if (awaited_node(*who))
            waiting.push_back(id);
    // A beat checks a sixth of them, rounded up. Reads cost more, so they check a sixth on average:
    // reads_due_ carries the remainder over to the next beat.
    auto count = (waiting.size() + beats_for_all - 1) / beats_for_all;
    if (by_reads) {
        reads_due_ += waiting.size();
        count = std::min(waiting.size(), reads_due_ / beats_for_all);
        reads_due_ %= beats_for_all;
    }
    // The ids above the one that was checked last come first.
    std::ranges::sort(waiting);
    const auto next = std::ranges::upper_bound(waiting, last_checked_);
    std::rotate(waiting.begin(), next, waiting.end());
    waiting.resize(count);
    if (!waiting.empty())
        last_checked_ = waiting.back();
    return waiting;
}

bool queue_registry::all_are_far() const {
    return !table_.empty() && std::ranges::all_of(table_, [this](const auto& each) {
        const auto& who = *each.second;
        const bool waits =
            who.phase == ticket_phase::waiting || who.phase == ticket_phase::neighbour;
        return waits && who.ahead > context_.options.near;
    });
}

std::string queue_registry::next_waiting_path() {
    const ticket* first = nullptr;
    const ticket* next = nullptr;
    for (const auto& [id, who] : table_) {
        if (who->phase != ticket_phase::waiting)
            continue;
        if (!first || id < first->id)
            first = who;
        if (id > last_counted_ && (!next || id < next->id))
            next = who;
    }
    const auto chosen = next ? next : first;
    if (!chosen)
        return {};
    last_counted_ = chosen->id;
    return chosen->where.path();
}

void queue_registry::on_path_counted(const std::string& path, const reply& answer) {
    const auto where = find(path);
    if (!where || outcome_unknown(answer.code))
        return;
    const bool is_known =
        answer.code == zookeeper_code::ok && where->directory().incarnation() == answer.stat.czxid;
    where->tickets().learn_places(answer.stat, is_known);
}

std::optional<std::string> queue_registry::busy_node() const {
    for (const auto& [id, who] : table_)
        if (who->has_node())
            return who->where.path_of(*who);
    return locks_by_path::busy_node();
}

// What the input has freed of the budget goes to the tickets that wait for it. Then the creates are
// sent that still fit into the window of all queues.
void queue_registry::end_input() {
    if (context_.bytes.freed())
        for (const auto& path : std::vector(table_.paths_waiting_for_budget.begin(),
                                            table_.paths_waiting_for_budget.end()))
            locks_.at(path).lock->bytes().enter_waiting();
    ticket_enqueues::send_next(table_);
}

duration queue_registry::review_interval() const {
    return context_.options.queue_rest / (size() > many_queues ? 10 : 1);
}

// Called when the queue has rested since the last review. Asks the server for the end of the path:
// deletes it if this session made it, and reads it otherwise. Then the answer forgets the queue, if
// it was not used in between, and this returns false. No more requests at once than searches: more
// would hold up the beats.
bool queue_registry::retire(const std::string& path, lock_queue& idle) {
    if (retiring_ >= context_.options.rewatch_window)
        return false;
    if (!context_.requests.connected())
        return !idle.directory().incarnation(); // else the path may be this session's to delete
    // The answer comes behind all others that this queue may still be waiting for.
    const auto op = idle.directory().is_own() ? operation::remove : operation::exists;
    ++retiring_;
    context_.requests.send(
        {.op = op, .path = path}, [this, path, op, uses = idle.resting()](const reply& answer) {
            --retiring_;
            const auto where = find(path);
            const bool is_later = answer.code == zookeeper_code::not_empty || // others stand there
                                  answer.code == zookeeper_code::throttled;
            if (!where || is_later || outcome_unknown(answer.code))
                return; // the next review asks again
            if (op == operation::remove && answer.code == zookeeper_code::ok)
                where->directory().on_vanished();
            if (where->resting() == uses)
                locks_.erase(path);
        });
    return false; // the answer forgets it
}

} // namespace turnstile::protocol
