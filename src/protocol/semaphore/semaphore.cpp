// SPDX-License-Identifier: BSL-1.0
#include "protocol/semaphore/semaphore.hpp"

#include "protocol/names/semaphore_names.hpp"
#include "protocol/queue/lock_queue.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::protocol {

semaphore::semaphore(session_context& shared, family& all, std::string path, watcher_id watcher)
    : context_(shared),
      family_(all),
      path_(std::move(path)),
      limit_path_(path_ + '/' + std::string(limit_name)),
      queue_path_(path_ + '/' + std::string(queue_name)),
      leases_path_(path_ + '/' + std::string(leases_name)),
      watcher_(watcher),
      directory_(
          shared, path_, [this] { look_around({}); },
          [this](failure why, zookeeper_code code) {
              asking_ = false;
              fail_waiting(why, code); // what somebody took meanwhile may have failed for that
          }),
      leaving_(
          shared, leases_path_,
          [this](const request& what, reply_handler done) { send(what, std::move(done)); },
          [this] { on_lease_gone(); }),
      sweep_(shared.clock),
      again_(shared.clock) {}

semaphore::~semaphore() { forget_watches(); }

bool semaphore::idle() const {
    return acquires_.empty() && leaving_.empty() && !leaving_.denied() && !sweep_due_ &&
           !sweeping_ && !sweep_.pending() && !asking_ && open_ == 0;
}

semaphore::acquire* semaphore::find(ticket_id id) const {
    const auto found = acquires_.find(id);
    return found == acquires_.end() ? nullptr : found->second.get();
}

semaphore::acquire* semaphore::holder_of(ticket_id id) const {
    for (const auto& [first, each] : acquires_)
        if (each->now >= stage::held &&
            (first == id || std::ranges::find(each->others, id) != each->others.end()))
            return each.get();
    return nullptr;
}

semaphore::acquire* semaphore::standing_at(ticket_id place) const {
    const auto found = places_.find(place);
    return found == places_.end() ? nullptr : find(found->second);
}

bool semaphore::anybody_in_line() const {
    return std::any_of(acquires_.begin(), acquires_.end(), [](const auto& entry) {
        return entry.second->now >= stage::in_line && entry.second->now <= stage::unresolved;
    });
}

bool semaphore::anybody_waits() const {
    return std::any_of(acquires_.begin(), acquires_.end(), [](const auto& entry) {
        return !entry.second->abandoned && entry.second->now < stage::confirming;
    });
}

void semaphore::send(const request& what, reply_handler done) {
    ++open_;
    context_.requests.send(what, [this, done = std::move(done)](const reply& answer) {
        --open_;
        done(answer);
    });
}

void semaphore::enter(std::unique_ptr<acquire> newcomer) {
    ++uses_;
    const auto id = newcomer->id;
    newcomer->questions = questions_;
    if (rounds_ > 0 && !rules_.keeps_count_of_searches(anybody_waits()))
        rounds_ = 0;
    if (!anybody_waits())
        retried_ = false; // the right may have been given since
    family_.owners.emplace(id, this);
    acquires_.emplace(id, std::move(newcomer));
    start_all();
}

void semaphore::erase(ticket_id id) {
    const auto gone = acquires_.extract(id);
    family_.owners.erase(id);
    places_.erase(gone.mapped()->place);
    for (const auto other : gone.mapped()->others)
        family_.owners.erase(other);
    context_.held.erase(id);
    if (first_ == id)
        first_.reset();
    give_bytes(*gone.mapped());
}

void semaphore::give_bytes(acquire& who) { context_.bytes.give(std::exchange(who.paid, 0)); }

// The end of an acquire that has no ticket and no leases.
void semaphore::fail(acquire& who, failure why, zookeeper_code code) {
    const auto id = who.id;
    const bool told = who.abandoned;
    const bool only_looked = who.only_looked;
    erase(id);
    if (only_looked)
        context_.events.on_looked_up(id, why, code, {});
    else if (!told)
        context_.events.on_acquire_failed(id, why, code);
}

// Its ticket, if it has one, is deleted; the acquire goes on without it.
void semaphore::leave_line(acquire& who) {
    const auto place = std::exchange(who.place, 0);
    places_.erase(place);
    if (const auto ticket = family_.queues.tickets().find(place)) {
        ticket->change = own_change::none;
        ticket->where.cancel(*ticket, failure::cancelled); // heard by nobody
    }
}

void semaphore::cancel(ticket_id id, failure why, zookeeper_code code) {
    const auto who = find(id);
    if (!who || who->abandoned || who->now >= stage::held)
        return;
    who->deadline.cancel();
    switch (who->now) {
    case stage::trying:
    case stage::trying_first:
    case stage::taking:
        who->abandoned = true;
        context_.events.on_acquire_failed(id, why, code);
        return;
    case stage::confirming:
        drop_leases(*who, 0);
        break;
    case stage::in_line:
    case stage::first:
    case stage::unresolved:
        leave_line(*who);
        if (!who->unknown_takes.empty())
            sweep_soon();
        break;
    default:
        break;
    }
    fail(*who, why, code);
    start_all();
}

void semaphore::on_queued(ticket_id place, std::int32_t ahead) {
    if (const auto who = standing_at(place))
        context_.events.on_queued(who->id, ahead);
}

void semaphore::on_line_failed(ticket_id place, failure why, zookeeper_code code) {
    const auto who = standing_at(place);
    if (!who)
        return;
    places_.erase(std::exchange(who->place, 0));
    if (first_ == who->id)
        first_.reset();
    if (who->now == stage::taking || who->now == stage::trying_first || !who->unknown_takes.empty())
        sweep_soon(); // what it may have taken is held by nobody
    // The queue is not there: perhaps the semaphore was removed, and made anew.
    if (why == failure::path_unstable && code == zookeeper_code::no_node && !who->abandoned) {
        part_missing_ = true;
        limit_.reset();
        who->now = stage::starting;
        if (!restart(*who))
            return;
        return start_all();
    }
    fail(*who, why, code);
    start_all();
    restart_numbers();
}

void semaphore::on_place_lost(ticket_id place) {
    const auto who = standing_at(place);
    if (!who)
        return;
    const bool tried = who->now == stage::trying_first; // the answer finds it no more
    if (who->now == stage::taking)
        who->unknown_takes.insert(who->attempt);
    if (who->abandoned) {
        leave_line(*who);
        erase(who->id);
        return sweep_soon();
    }
    who->now = stage::in_line;
    who->bound.reset();
    if (first_ == who->id)
        first_.reset();
    if (tried || !who->unknown_takes.empty())
        sweep_soon(); // its ticket may have gone with what it took
}

void semaphore::abandon_all() {
    sweep_.cancel();
    again_.cancel();
    sweep_due_ = false;
    std::vector<ticket_id> all;
    for (const auto& [id, who] : acquires_)
        all.push_back(id);
    for (const auto id : all) {
        auto& who = *find(id);
        if (who.now == stage::held) {
            const auto handles = who.others;
            erase(id);
            tell_lost(id, handles, failure::session_closed);
        } else if (who.now == stage::lost) {
            erase(id);
        } else {
            fail(who, failure::session_closed);
        }
    }
}

void semaphore::on_connected() {
    const auto spread =
        static_cast<std::uint64_t>(lease_plan::spread(context_.lease.timeout()).count()) + 1;
    std::vector<acquire*> unproved;
    for (const auto& [id, who] : acquires_)
        if (who->now == stage::held)
            watch_own_later(*who, duration{static_cast<duration::rep>(context_.random() % spread)});
        else if (who->now == stage::confirming) {
            who->unseen = true;
            unproved.push_back(who.get());
        }
    for (const auto who : unproved)
        confirm(*who);
    leaving_.flush();
    if (sweep_due_)
        sweep();
    if (anybody_in_line())
        learn();
    start_all();
}

void semaphore::on_disconnected() {
    ++epoch_;
    directory_.on_disconnected();
    asking_ = looking_ = look_wanted_ = sweeping_ = sweep_wanted_ = false;
    limit_watched_ = leases_watched_ = false;
    again_.cancel();
    first_.reset();
    // The next server may have older data. What others did since may look like what is remembered:
    // another limit with the same version, and whoever stood before this one granted once more.
    limit_.reset();
    for (const auto& [id, who] : acquires_) {
        who->own_watch.cancel();
        who->bound.reset();
        if (who->now == stage::first)
            who->now = stage::in_line; // told again once its place was searched
    }
}

void semaphore::on_expired(failure releases) {
    sweep_.cancel();
    sweep_due_ = false;
    limit_.reset();
    torn_.reset();
    part_missing_ = retried_ = false;
    leaving_.on_expired(releases);
    std::vector<ticket_id> all;
    for (const auto& [id, who] : acquires_)
        all.push_back(id);
    for (const auto id : all) {
        const auto who = find(id);
        if (!who)
            continue;
        who->unknown_takes.clear();
        who->bound.reset();
        if (who->now == stage::held) {
            const auto handles = who->others;
            erase(id);
            tell_lost(id, handles, failure::lost_expired);
        } else if (who->now == stage::lost) {
            erase(id);
        } else if (who->abandoned) {
            leave_line(*who);
            erase(id);
        } else if (who->now >= stage::in_line && who->now <= stage::unresolved) {
            who->now = stage::in_line; // the ticket enqueues again by itself
        } else {
            who->leases.clear();
            who->now = stage::starting;
        }
    }
    start_all();
}

void semaphore::on_watch(const std::string& node, watch_event event) {
    if (node == limit_path_) {
        limit_watched_ = false;
        return learn();
    }
    if (node == leases_path_) {
        leases_watched_ = false;
        return event == watch_event::children ? on_leases_changed() : look();
    }
    if (event == watch_event::deleted)
        return static_cast<void>(on_missing(node));
    for (const auto& [id, who] : acquires_)
        for (const auto& name : who->leases)
            if (who->now == stage::held && lease_path(name) == node)
                return watch_own(*who); // somebody set its data
}

} // namespace turnstile::protocol
