// SPDX-License-Identifier: BSL-1.0
#include "protocol/queue/queue_registry.hpp"

#include "protocol/names/lock_path.hpp"

#include <algorithm>
#include <functional>

namespace turnstile::protocol {

namespace {

// Past this many queues they rest for a tenth of the time only.
constexpr std::size_t many_queues = 4096;

constexpr std::size_t beats_for_all = 6; // of the eight within T
// Of a beat's checks. No server that works takes less (size_limit).
constexpr std::size_t largest_beat = 2048;
constexpr std::size_t bytes_beside_path = 32;

/// The node whose event it waits for; null: none.
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
    newcomer.request = {context_.random(), id};
    newcomer.started = context_.now();
    if (what.max_hold)
        newcomer.limit = std::make_unique<hold_limit>(context_, *what.max_hold);
    if (end)
        newcomer.deadline.set(*end, [this, id] { end_wait(id); });
    return newcomer;
}

// A semaphore has a queue at its own path where a look-up has made one.
bool queue_registry::occupies(const acquire_request& what) const {
    const auto queue = find(what.path);
    return queue && (what.single_node || queue->size() > 0);
}

// What this session made, its queue deletes.
void queue_registry::path_found(const acquire_request& what, const lock_directory& by) {
    at(what.path, lock_queue::purpose::lock, what.naming).path_found(by);
}

void queue_registry::acquire(ticket_id id, const acquire_request& what,
                             std::optional<instant> end) {
    auto& where = at(what.path, lock_queue::purpose::lock, what.naming);
    if (where.naming() != what.naming)
        return context_.events.on_acquire_failed(id, failure::wrong_kind, zookeeper_code::ok);
    where.path_believed(what.incarnation);
    if (const auto who = what.kind == ticket_kind::shared ? where.to_share(what) : nullptr)
        return join(*who, id, end);
    if (what.patient && context_.options.refuses_own_waits && where.holds_against(what.kind))
        return context_.events.on_acquire_failed(id, failure::would_deadlock, zookeeper_code::ok);
    where.enter(make_ticket(id, where, what, end));
}

void queue_registry::join(ticket& who, ticket_id id, std::optional<instant> end) {
    const bool held = who.phase == ticket_phase::held;
    ++who.joins;
    table_.join(who, id, held ? std::nullopt : end, [this, id] { end_wait(id); });
    if (held)
        context_.events.on_granted(id, who.czxid);
}

void queue_registry::end_wait(ticket_id id) {
    if (const auto who = table_.of_caller(id))
        who->where.cancel(*who, id, context_.end_of_time());
}

bool queue_registry::cancel(watcher_id id, failure why) {
    const auto who = table_.of_caller(id);
    if (who)
        who->where.cancel(*who, id, why);
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
    who.where.downgrade(who, id);
    return failure::none;
}

failure queue_registry::upgrade(ticket_id id, ticket_id writer) {
    auto& who = *table_.of_caller(id);
    if (who.phase < ticket_phase::held)
        return failure::lease_lost;
    who.where.upgrade(who, id, writer, {context_.random(), writer});
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

// A writer that becomes a reader writes no more.
std::vector<transaction_step> queue_registry::proof_of(ticket_id caller) const {
    const auto who = table_.of_caller(caller);
    if (!who || who->phase != ticket_phase::held || who->is_downgrading())
        return {};
    return {{.what = step_kind::check, .path = who->where.path_of(*who)}};
}

bool queue_registry::is_next(ticket_id caller) const {
    const auto who = table_.of_caller(caller);
    return who && !who->where.leaving().some_unsent_before(who->name);
}

std::size_t queue_registry::sharers_of(const std::string& path, const std::string& node) const {
    if (const auto slash = node.find('/'); slash != std::string::npos) // of a semaphore's line
        return sharers_of(path + '/' + node.substr(0, slash), node.substr(slash + 1));
    const auto name = ticket_name::parse(node);
    const auto where = find(path);
    const auto found = name && where ? where->find_standing(*name) : nullptr;
    return found ? std::max<std::size_t>(found->sharers.size(), 1) : 0;
}

void queue_registry::for_each_waiting(const waiting_action& action) const {
    for (const auto& [id, who] : table_)
        if (who->phase < ticket_phase::held && !who->abandoned)
            ticket_table::for_each_caller(*who, action);
}

void queue_registry::search_again() {
    for_each(&lock_queue::collect_searches, std::ref(searches_));
    search_next_batch();
}

void queue_registry::search_next_batch() {
    for (std::size_t i = 0; i < context_.options.rewatch_window && !searches_.empty(); ++i) {
        const auto [id, epoch] = searches_.front();
        searches_.pop_front();
        if (const auto who = table_.find(id, epoch))
            who->where.search_again(*who);
    }
    if (searches_.empty())
        return;
    // The answer to this one comes behind those of the batch.
    context_.requests.send({.op = operation::exists, .path = "/"}, [this](const reply& answer) {
        if (!outcome_unknown(answer.code))
            search_next_batch();
    });
}

void queue_registry::on_disconnected() {
    searches_.clear();
    table_.enqueues.clear(); // on the next connection all are placed that are not
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
    for (const auto id : waiting) {
        const auto who = table_.find(id);
        if (const auto awaited = who ? awaited_node(*who) : nullptr; awaited && *awaited == node)
            who->where.on_missed_event(*who);
    }
    return !waiting.empty();
}

void queue_registry::add_checks(std::vector<std::string>& nodes, bool by_reads) {
    std::vector<ticket_id> waiting;
    for (const auto& [id, who] : table_)
        if (awaited_node(*who))
            waiting.push_back(id);
    auto count = (waiting.size() + beats_for_all - 1) / beats_for_all;
    if (by_reads) {
        reads_due_ += waiting.size();
        count = std::min(waiting.size(), reads_due_ / beats_for_all);
        reads_due_ %= beats_for_all;
    }
    std::size_t bytes = by_reads ? largest_beat : 0;
    const auto add_bytes = [&](const std::string& node) {
        bytes += context_.options.chroot_bytes + node.size() + bytes_beside_path;
    };
    std::ranges::for_each(nodes, add_bytes);
    std::sort(waiting.begin(), waiting.end());
    auto next = std::upper_bound(waiting.begin(), waiting.end(), last_checked_);
    for (std::size_t i = 0; i < count; ++i, ++next) {
        if (next == waiting.end())
            next = waiting.begin();
        last_checked_ = *next;
        auto& who = *table_.find(*next);
        const auto pair = {who.where.path_of(who), *awaited_node(who)};
        std::ranges::for_each(pair, add_bytes);
        if (bytes <= largest_beat)
            nodes.insert(nodes.end(), pair);
        else
            who.where.check_by_reads(who);
    }
}

bool queue_registry::all_are_far() const {
    return !table_.empty() && std::ranges::all_of(table_, [this](const auto& each) {
        const auto& who = *each.second;
        const bool waits =
            who.phase == ticket_phase::waiting || who.phase == ticket_phase::neighbour;
        return waits && who.ahead > context_.options.near;
    });
}

std::string queue_registry::path_to_place() {
    const ticket* first = nullptr;
    const ticket* next = nullptr;
    for (const auto& [id, who] : table_) {
        if (who->phase != ticket_phase::waiting)
            continue;
        if (!first || id < first->id)
            first = who;
        if (id > last_placed_ && (!next || id < next->id))
            next = who;
    }
    const auto chosen = next ? next : first;
    if (!chosen)
        return {};
    last_placed_ = chosen->id;
    return chosen->where.path();
}

void queue_registry::on_place(const std::string& path, const reply& answer) {
    if (const auto where = find(path); where && !outcome_unknown(answer.code))
        where->learn_places(answer);
}

std::optional<std::string> queue_registry::busy_node() const {
    for (const auto& [id, who] : table_)
        if (who->has_node())
            return who->where.path_of(*who);
    return locks_by_path::busy_node();
}

void queue_registry::end_input() {
    if (context_.bytes.freed())
        admit();
    lock_queue::place_next(table_);
}

void queue_registry::admit() {
    for (const auto& path : std::vector(table_.paths_waiting_for_budget.begin(),
                                        table_.paths_waiting_for_budget.end()))
        locks_.at(path).lock->admit();
}

duration queue_registry::rest() const {
    return context_.options.queue_rest / (size() > many_queues ? 10 : 1);
}

bool queue_registry::retire(const std::string& path, lock_queue& idle) {
    if (retiring_ >= context_.options.rewatch_window)
        return false;
    if (!context_.requests.connected())
        return !idle.directory().incarnation(); // nothing is open, and nothing was made
    // The answer comes behind all others that this queue may still be waiting for.
    const auto op = idle.directory().is_own() ? operation::remove : operation::exists;
    ++retiring_;
    context_.requests.send(
        {.op = op, .path = path}, [this, path, op, uses = idle.resting()](const reply& answer) {
            --retiring_;
            const auto where = find(path);
            if (!where || outcome_unknown(answer.code) || answer.code == zookeeper_code::not_empty)
                return; // others stand there still: the path is ours to delete, later
            if (op == operation::remove && answer.code == zookeeper_code::ok)
                where->directory().vanished();
            if (where->resting() == uses)
                locks_.erase(path);
        });
    return false; // the answer tells
}

} // namespace turnstile::protocol
