// SPDX-License-Identifier: BSL-1.0
// The requests of a model client beside its acquires. It writes under locks that it holds, follows
// the leader of a path, waits for requests to yield, and asks holders to yield.
#include "model_client.hpp"

#include "protocol/inspect/path_read.hpp"
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

// One count at a time is under way under one lock, whatever handle on it counts. After a write
// whose outcome is unknown the client counts no more under that lock.
void model_client::count(ticket_id id) {
    if (dead_ || paused() || stage_of(id) != promises::stage::held)
        return;
    const auto& which = acquires_.at(id);
    const lock_node by{which.czxid, which.what.path};
    if (!writes(id) || doubtful_.contains(by) ||
        std::ranges::any_of(counts_,
                            [&](const auto& each) { return acquires_.at(each.second).is_by(by); }))
        return;
    const auto inquiry = ++last_inquiry_;
    counts_.emplace(inquiry, id);
    ask(inquiry, std::make_shared<protocol::path_read>(protocol::request{
                     .op = protocol::operation::get, .path = counter_of(by.lock)}));
}

bool model_client::writes(ticket_id id) const {
    const auto& which = acquires_.at(id);
    return which.what.kind == protocol::ticket_kind::exclusive && !which.reads;
}

void model_client::on_counted(protocol::inquiry_id inquiry, const protocol::path_read& read) {
    const auto by = counts_.at(inquiry);
    if (read.why() != failure::none && read.code() == zookeeper_code::ok) {
        counts_.erase(inquiry); // the read was ended before its answer
        return;
    }
    const protocol::transaction_step sets{
        .what = protocol::step_kind::set,
        .path = counter_of(path_of(by)),
        .data = std::to_string(by) + ' ' + std::to_string(count_in(read.found().data).second + 1)};
    around_.ensemble.events().after({}, [this, inquiry, sets, by] {
        input([this, inquiry, sets, by](auto& machine, instant now) {
            if (!acquires_.at(by).reads)
                return machine.write(now, inquiry, {.locks = {by}, .steps = {sets}});
            counts_.erase(inquiry); // the writer has become a reader since the read
            machine.on_time(now);
        });
    });
}

void model_client::proclaim(ticket_id id) {
    if (dead_ || paused() || stage_of(id) != promises::stage::held || !writes(id))
        return;
    const auto& which = acquires_.at(id);
    note("proclaims as " + std::to_string(id));
    input([id, write = ++last_inquiry_,
           step = protocol::transaction_step{
               .what = protocol::step_kind::set,
               .path = protocol::proclamation_node_of(which.what.path),
               .data = protocol::proclamation_of(static_cast<std::uint64_t>(which.czxid),
                                                 std::to_string(id))}](auto& machine, instant now) {
        machine.write(now, write, {.locks = {id}, .steps = {step}, .makes = true});
    });
}

void model_client::on_written(protocol::inquiry_id write, const protocol::guarded_write& what,
                              failure why, const protocol::reply& answer) {
    const auto by = what.locks.front();
    const auto& lock = acquires_.at(by);
    const bool counts = counts_.erase(write) > 0;
    if (why != failure::none)
        return;
    if (protocol::outcome_unknown(answer.code) && counts)
        doubtful_.insert({lock.czxid, lock.what.path});
    else if (answer.code != zookeeper_code::ok && answer.code != zookeeper_code::throttled &&
             !protocol::outcome_unknown(answer.code) &&
             !(answer.code == zookeeper_code::no_auth && is_hidden(lock.what.path)))
        wrong(by, "did not write, without a reason");
}

// The transaction is about to be sent. A client must not send a count when its lock is over (W4),
// nor a request to yield that means its own ticket (Y5).
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
    const auto what = std::make_shared<protocol::leader_watch>(path, true);
    followed_.emplace(id, following{.path = path, .what = what});
    ask(id, what);
}

void model_client::on_followed(protocol::inquiry_id id) {
    auto& which = followed_.at(id);
    if (which.what->over()) {
        if (!closing_ && !(which.what->why() == failure::read_denied && is_hidden(which.path)))
            around_.report(name_ + " follows " + which.path +
                           " no more: " + name_of(which.what->why()));
        followed_.erase(id);
        return;
    }
    const auto leader = which.what->found()->czxid;
    note("hears that " + std::to_string(leader) + " leads " + which.path);
    if (leader != 0 && !around_.foreign_twins) { // a twin may have the name of an earlier leader
        const auto reign = around_.reign_of(which.path, leader);
        const auto complain = [&](const std::string& what) {
            around_.report(name_ + " was told of " + what + " of " + which.path + ": " +
                           std::to_string(leader));
        };
        if (reign == 0)
            complain("a leader that never was one");
        else if (reign < std::exchange(which.reign, reign))
            complain("an earlier leader");
    }
}

void model_client::await_request(ticket_id lock) {
    if (dead_ || paused() || stage_of(lock) != promises::stage::held)
        return;
    const auto& path = path_of(lock);
    const auto id = ++last_inquiry_;
    note("may be asked for " + std::to_string(lock) + " of " + path);
    const auto what = std::make_shared<protocol::yield_wait>(
        machine_.wait_for_request(path, lock, acquires_.at(lock).czxid));
    watched_.emplace(id, watching{lock, what});
    ask(id, what);
}

void model_client::on_request(protocol::inquiry_id id) {
    const auto [by, what] = watched_.extract(id).mapped();
    const auto& lock = acquires_.at(by);
    const auto& meant = what->found().ticket;
    note("is asked for " + meant + " of " + lock.what.path);
    // A writer that became a reader is another node by now, whose czxid is not known here.
    if (what->why() == failure::none && !lock.reads &&
        !meant.ends_with(' ' + std::to_string(lock.czxid)))
        wrong(by, "is asked by a request that means " + meant);
}

void model_client::stop_inquiry(protocol::inquiry_id id) {
    input([id](auto& machine, instant now) { machine.cancel(now, id); });
}

// The lock was released or lost: no request to yield can mean it.
void model_client::stop_awaiting(ticket_id lock) {
    std::erase_if(watched_, [&](const auto& each) {
        const bool ends = each.second.by == lock;
        if (ends)
            around_.ensemble.events().after({}, [this, id = each.first] { stop_inquiry(id); });
        return ends;
    });
}

void model_client::ask_to_yield(const std::string& path,
                                std::optional<protocol::duration> patience) {
    const auto id = ++last_inquiry_;
    note("asks for " + path);
    begin_asking(id, {.path = path});
    if (patience)
        around_.ensemble.events().after(*patience, [this, id] { stop_asking(id); });
}

void model_client::begin_asking(protocol::inquiry_id id, const yielding& which) {
    yields_.emplace(id, which);
    ask(id, std::make_shared<protocol::yield_request>(
                machine_.request_to_yield(id, which.path, "why", which.by)));
}

// The acquire stands in the queue now, and asks the tickets before it to yield (Y5).
void model_client::on_queued(ticket_id id, std::int32_t) {
    if (asks_.erase(id) == 0)
        return;
    around_.ensemble.events().after({}, [this, id] {
        if (dead_ || stage_of(id) != promises::stage::waiting)
            return;
        note("asks those before " + std::to_string(id));
        begin_asking(++last_inquiry_, {.path = path_of(id), .by = id});
    });
}

void model_client::stop_asking_for(ticket_id id) {
    for (const auto& [inquiry, each] : yields_)
        if (each.by == id)
            around_.ensemble.events().after({},
                                            [this, inquiry = inquiry] { stop_asking(inquiry); });
}

// The request to yield is about to be sent. An acquire must not ask its own ticket (Y5). A ticket
// whose name its session does not know yet is no wrong: nobody can tell it from others.
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

void model_client::stop_asking(protocol::inquiry_id id) {
    if (dead_ || !yields_.contains(id))
        return;
    if (paused()) {
        backlog_.push_back([this, id] { stop_asking(id); });
        return;
    }
    note("asks no more");
    stop_inquiry(id);
}

void model_client::end_asking(protocol::inquiry_id id, failure why) {
    const auto path = yields_.extract(id).mapped().path;
    note("request to yield ends: " + name_of(why));
    if (why != failure::none && why != failure::not_held && why != failure::cancelled &&
        !(why == failure::read_denied && is_hidden(path)) &&
        !(why == failure::session_closed && closing_))
        around_.report(name_ + "'s request to yield failed without a reason: " + name_of(why));
}

bool model_client::is_hidden(const std::string& path) const {
    return path == around_.denied || around_.hidden.contains(path);
}

void model_client::ask(protocol::inquiry_id id, std::shared_ptr<protocol::path_question> what) {
    input([id, what = std::move(what)](auto& machine, instant now) {
        machine.inquire(now, id, what);
    });
}

void model_client::on_answer(protocol::inquiry_id id, const protocol::path_question& what) {
    if (counts_.contains(id))
        on_counted(id, dynamic_cast<const protocol::path_read&>(what));
    else if (watched_.contains(id))
        on_request(id);
    else if (yields_.contains(id))
        end_asking(id, what.why());
    else if (followed_.contains(id))
        on_followed(id);
    else if (changes_.contains(id))
        end_change(id);
    else if (surveys_.contains(id))
        end_survey(id);
}

std::vector<std::string> model_client::misbeliefs() const {
    std::vector<std::string> result;
    const auto& truth = around_.ensemble.truth();
    for (const auto& [id, which] : followed_) {
        const auto [leader, czxid] = first_of(truth, which.path);
        const auto& told = which.what->found();
        if (!told || told->czxid != czxid)
            result.push_back(name_ + " believes that " +
                             (told ? std::to_string(told->czxid) : "it knows not who") + " leads " +
                             which.path + ", and it is " + leader);
        const auto node = protocol::proclamation_node_of(which.path);
        const auto data = truth.read({.op = protocol::operation::get, .path = node}).data;
        const auto of_leader = protocol::proclamation_of(static_cast<std::uint64_t>(czxid), "");
        const auto value = data.starts_with(of_leader) ? data.substr(of_leader.size()) : "";
        if (told && told->who.value != value)
            result.push_back(name_ + " does not know what the leader of " + which.path +
                             " proclaims");
    }
    for (const auto& [id, which] : watched_) {
        const auto node = which.what->question().path;
        const auto data = truth.read({.op = protocol::operation::get, .path = node}).data;
        const auto request = protocol::ticket_data::parse(data);
        if (!which.what->awaits() || which.what->found().ticket != (request ? request->ticket : ""))
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
