// SPDX-License-Identifier: BSL-1.0
// What a model client does without standing in line: it writes under locks that it holds, follows
// the leader of a path, watches nodes, and asks holders to let go.
#include "model_client.hpp"

#include "support/names.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace turnstile::test {

using protocol::failure;
using protocol::instant;
using protocol::ticket_id;
using protocol::zookeeper_code;

std::string counter_of(const std::string& path) {
    auto node = "/data" + path;
    std::replace(node.begin() + 1, node.end(), '/', '-');
    return node;
}

std::pair<ticket_id, int> count_in(const std::string& data) {
    std::pair<ticket_id, int> result;
    const auto end = data.data() + data.size();
    const auto rest = std::from_chars(data.data(), end, result.first).ptr;
    if (rest != end)
        std::from_chars(rest + 1, end, result.second);
    return result;
}

// One at a time under one lock, as its handles know of each other; and none where it is unknown
// what became of the last one.
void model_client::count(ticket_id id) {
    if (dead_ || paused() || stage_of(id) != promises::stage::held)
        return;
    const auto& which = acquires_.at(id);
    const lock_node by{which.czxid, which.what.path};
    const bool writes = which.what.kind == protocol::ticket_kind::exclusive && !which.reads;
    if (!writes || doubtful_.contains(by) || std::ranges::any_of(counts_, [&](const auto& each) {
            return acquires_.at(each.second.by).is_by(by);
        }))
        return;
    const auto inquiry = ++last_inquiry_;
    counts_.emplace(inquiry, counting{.by = id});
    input([inquiry, node = counter_of(by.lock)](auto& machine, instant now) {
        machine.inquire(now, inquiry, {.op = protocol::operation::get, .path = node});
    });
}

void model_client::on_counted(protocol::inquiry_id inquiry, const protocol::reply& answer) {
    auto& which = counts_.at(inquiry);
    const auto& lock = acquires_.at(which.by);
    if (which.writes) {
        if (protocol::outcome_unknown(answer.code))
            doubtful_.insert({lock.czxid, lock.what.path});
        else if (answer.code != zookeeper_code::ok && answer.code != zookeeper_code::throttled &&
                 !(answer.code == zookeeper_code::no_auth &&
                   (around_.hidden.contains(lock.what.path) || lock.what.path == around_.denied)))
            wrong(which.by, "did not write, without a reason");
        counts_.erase(inquiry);
        return;
    }
    which.writes = true;
    const protocol::transaction_step sets{.what = protocol::step_kind::set,
                                          .path = counter_of(lock.what.path),
                                          .data = std::to_string(which.by) + ' ' +
                                                  std::to_string(count_in(answer.data).second + 1)};
    around_.ensemble.events().after({}, [this, inquiry, sets, by = which.by] {
        input([this, inquiry, sets, by](auto& machine, instant now) {
            if (!acquires_.at(by).reads) // else it has become a reader meanwhile
                return machine.write(now, inquiry, {.locks = {by}, .steps = {sets}});
            counts_.erase(inquiry);
            machine.on_time(now);
        });
    });
}

// On its way to the server.
void model_client::check_write(const protocol::request& what) {
    for (const auto& step : what.steps)
        if (step.path.ends_with("%yield"))
            check_request(step);
        else if (step.what == protocol::step_kind::set && step.path.starts_with("/data"))
            if (const auto id = count_in(step.data).first; stage_of(id) != promises::stage::held)
                wrong(id, "is over, and writes");
}

void model_client::follow(const std::string& path) {
    const auto id = ++last_inquiry_;
    note("follows " + path);
    followed_.emplace(id, following{.path = path, .first = protocol::first_ticket(path, true)});
    ask_for_first(id);
}

void model_client::ask_for_first(protocol::inquiry_id id) {
    input([this, id](auto& machine, instant now) {
        if (const auto asking = followed_.find(id); asking != followed_.end())
            machine.inquire(now, id, asking->second.first.question());
        else
            machine.on_time(now);
    });
}

void model_client::on_followed(protocol::inquiry_id id, const protocol::reply& answer) {
    auto& which = followed_.at(id);
    if (protocol::refused(answer.code)) {
        fails_aside(id, protocol::failure_of_read(answer.code));
        return;
    }
    if (!which.first.on_answer(answer)) { // the machine is at work now
        around_.ensemble.events().after({}, [this, id] { ask_for_first(id); });
        return;
    }
    const auto found = which.first.found().stat.czxid;
    note("hears that " + std::to_string(found) + " leads " + which.path);
    if (found != 0 && !around_.foreign_twins) { // who may have an earlier one's name
        const auto reign = around_.reign_of(which.path, found);
        const auto complain = [&](const std::string& what) {
            around_.report(name_ + " was told of " + what + " of " + which.path + ": " +
                           std::to_string(found));
        };
        if (reign == 0)
            complain("a leader that never was one");
        else if (reign < std::exchange(which.reign, reign))
            complain("an earlier leader");
    }
    which.told = found;
}

void model_client::await_request(ticket_id lock) {
    if (dead_ || paused() || stage_of(lock) != promises::stage::held)
        return;
    const auto& path = path_of(lock);
    const auto own = machine_.kinds().nodes_of(lock).front().substr(path.size() + 1);
    const auto id = ++last_inquiry_;
    note("may be asked for " + own + " of " + path);
    const auto& which =
        watched_.emplace(id, watching{lock, {path, own, acquires_.at(lock).czxid}}).first->second;
    input([id, what = which.what.question()](auto& machine, instant now) {
        machine.inquire(now, id, what);
    });
}

void model_client::on_request(protocol::inquiry_id id, const protocol::reply& answer) {
    auto& which = watched_.at(id);
    which.what.on_answer(answer);
    which.told = answer;
    if (!which.what.over())
        return;
    const auto& lock = acquires_.at(which.by);
    const auto& meant = which.what.found().ticket;
    note("is asked for " + meant + " of " + lock.what.path);
    // Of what a writer was before it became a reader, only the name is known here.
    if (which.what.why() == failure::none && !lock.reads &&
        !meant.ends_with(' ' + std::to_string(lock.czxid)))
        wrong(which.by, "is asked by a request that means " + meant);
    watched_.erase(id);
    around_.ensemble.events().after({}, [this, id] { stop_inquiry(id); });
}

void model_client::stop_inquiry(protocol::inquiry_id id) {
    input([id](auto& machine, instant now) { machine.cancel(now, id); });
}

// It is let go, lost, or held by another ticket.
void model_client::stop_awaiting(ticket_id lock) {
    std::erase_if(watched_, [&](const auto& each) {
        const bool ends = each.second.by == lock;
        if (ends)
            around_.ensemble.events().after({}, [this, id = each.first] { stop_inquiry(id); });
        return ends;
    });
}

// It has another ticket from now on. The machine is at work.
void model_client::await_new_request(ticket_id lock) {
    if (std::ranges::none_of(watched_, [&](const auto& each) { return each.second.by == lock; }))
        return;
    stop_awaiting(lock);
    around_.ensemble.events().after({}, [this, lock] { await_request(lock); });
}

void model_client::ask_to_yield(const std::string& path,
                                std::optional<protocol::duration> patience) {
    const auto id = ++last_inquiry_;
    note("asks for " + path);
    yields_.emplace(
        id, yielding{path, protocol::yield_request(path, "why", machine_.data_writer(),
                                                   {.random = around_.number, .acquire = id})});
    ask_yield(id);
    if (patience)
        around_.ensemble.events().after(*patience, [this, id] { stop_asking(id); });
}

// An acquire asks those before it, and not itself.
void model_client::on_queued(ticket_id id, std::int32_t) {
    if (asks_.erase(id) == 0)
        return;
    around_.ensemble.events().after({}, [this, id] {
        if (dead_ || stage_of(id) != promises::stage::waiting)
            return;
        note("asks those before " + std::to_string(id));
        const auto inquiry = ++last_inquiry_;
        const auto is_own = [this, end = '-' + std::to_string(id)](const auto&, const auto& first) {
            return first.stat.ephemeral_owner == session() &&
                   protocol::request_of(first.data).ends_with(end);
        };
        yields_.emplace(inquiry,
                        yielding{path_of(id),
                                 protocol::yield_request(
                                     path_of(id), "why", machine_.data_writer(),
                                     {.random = around_.number, .acquire = inquiry}, is_own),
                                 id});
        ask_yield(inquiry);
    });
}

void model_client::stop_asking_for(ticket_id id) {
    for (const auto& [inquiry, each] : yields_)
        if (each.by == id)
            around_.ensemble.events().after({},
                                            [this, inquiry = inquiry] { stop_asking(inquiry); });
}

// On its way to the server. Of a ticket that is not known yet the name is not either.
void model_client::check_request(const protocol::transaction_step& step) {
    const auto data = protocol::ticket_data::parse(step.data);
    const auto meant = data ? data->ticket.substr(0, data->ticket.find(' ')) : "";
    for (const auto& [inquiry, each] : yields_)
        if (data && each.by != 0 && data->request.ends_with('-' + std::to_string(inquiry)))
            for (const auto& own : machine_.kinds().nodes_of(each.by))
                if (own == each.path + '/' + meant &&
                    around_.ensemble.truth()
                            .read({.op = protocol::operation::exists, .path = own})
                            .stat.ephemeral_owner == session())
                    wrong(each.by, "asks itself");
}

void model_client::ask_yield(protocol::inquiry_id id) {
    input([this, id](auto& machine, instant now) {
        if (const auto asking = yields_.find(id); asking != yields_.end())
            machine.inquire(now, id, asking->second.what.question());
        else
            machine.on_time(now);
    });
}

void model_client::stop_asking(protocol::inquiry_id id) {
    const auto asking = yields_.find(id);
    if (dead_ || asking == yields_.end())
        return;
    if (paused()) {
        backlog_.push_back([this, id] { stop_asking(id); });
        return;
    }
    note("asks no more");
    const bool awaits = asking->second.what.awaits();
    if (!asking->second.what.take_back()) {
        yields_.erase(asking);
        stop_inquiry(id);
    } else if (awaits) {
        ask_yield(id);
    }
}

void model_client::on_asked(protocol::inquiry_id id, const protocol::reply& answer) {
    auto& what = yields_.at(id).what;
    what.on_answer(answer);
    if (what.over() && what.question().watch)
        around_.ensemble.events().after({}, [this, id] { stop_inquiry(id); });
    if (what.over())
        return end_asking(id, what.why());
    if (!what.awaits()) // the machine is at work now
        around_.ensemble.events().after({}, [this, id] { ask_yield(id); });
}

void model_client::end_asking(protocol::inquiry_id id, failure why) {
    const auto path = yields_.extract(id).mapped().path;
    note("request to yield ends: " + name_of(why));
    const bool hidden = path == around_.denied || around_.hidden.contains(path);
    if (why != failure::none && why != failure::not_held && why != failure::cancelled &&
        !(why == failure::read_denied && hidden) && !(why == failure::session_closed && closing_))
        around_.report(name_ + "'s request to yield failed without a reason: " + name_of(why));
}

bool model_client::answers_aside(protocol::inquiry_id id, const protocol::reply& answer) {
    if (counts_.contains(id))
        on_counted(id, answer);
    else if (watched_.contains(id))
        on_request(id, answer);
    else if (yields_.contains(id))
        on_asked(id, answer);
    else if (followed_.contains(id))
        on_followed(id, answer);
    else
        return false;
    return true;
}

bool model_client::fails_aside(protocol::inquiry_id id, failure why) {
    if (counts_.erase(id) > 0)
        return true;
    if (const auto gone = followed_.extract(id)) {
        const auto& path = gone.mapped().path;
        const bool hidden = path == around_.denied || around_.hidden.contains(path);
        if (!closing_ && !(why == failure::read_denied && hidden))
            around_.report(name_ + " follows " + path + " no more: " + name_of(why));
        return true;
    }
    if (watched_.erase(id) > 0)
        return true;
    if (yields_.contains(id)) {
        end_asking(id, why);
        return true;
    }
    return false;
}

std::vector<std::string> model_client::misbeliefs() const {
    std::vector<std::string> result;
    const auto& truth = around_.ensemble.truth();
    for (const auto& [id, which] : followed_) {
        const auto first = first_of(truth, which.path);
        if (which.told != first.second)
            result.push_back(name_ + " believes that " +
                             (which.told ? std::to_string(*which.told) : "it knows not who") +
                             " leads " + which.path + ", and it is " + first.first);
    }
    for (const auto& [id, which] : watched_) {
        const auto node = which.what.question().path;
        const auto found = truth.read({.op = protocol::operation::get, .path = node});
        if (!which.told || which.told->code != found.code || which.told->data != found.data)
            result.push_back(name_ + " does not know of " + node);
    }
    return result;
}

std::pair<std::string, std::int64_t> first_of(const model_tree& where, const std::string& path) {
    std::pair<std::string, std::int64_t> result;
    std::pair<std::int32_t, std::string> lowest;
    for (const auto& child : where.children(path)) {
        const auto place = protocol::parse_contender(child);
        if (!place)
            continue;
        const std::pair at(place->sequence, child);
        const auto stat =
            where.read({.op = protocol::operation::exists, .path = path + ('/' + child)}).stat;
        if (stat.ephemeral_owner != 0 && (result.first.empty() || at < lowest)) {
            lowest = at;
            result = {child, stat.czxid};
        }
    }
    return result;
}

} // namespace turnstile::test
