// What tells the states of a small client apart: its machine, and what is under way.
#include "small_client.hpp"

#include "machine_state.hpp"

#include <algorithm>

namespace turnstile::test {

using protocol::operation;
using protocol::request_purpose;

namespace {

void describe(const protocol::request& what, state_words& to) {
    to.choice(what.op);
    to.node(what.path);
    to.flag(what.watch);
    to.node(what.target);
    to.data(what.data);
    to.version(what.path.substr(0, what.path.rfind('/')), what.version);
    to.number(what.steps.size());
    for (const auto& step : what.steps) {
        to.choice(step.what);
        to.node(step.path);
        to.data(step.data);
        to.version(step.path, step.version);
    }
}

void describe(const small_connection::to_server& message, state_words& to) {
    to.number(message.index());
    if (const auto wish = std::get_if<small_connection::attach>(&message))
        to.session(wish->wanted);
    else if (const auto asked = std::get_if<small_connection::ask>(&message))
        describe(asked->what, to);
}

// Of a transaction that was refused: by which step.
void describe_refusal(const protocol::reply& answer, state_words& to) {
    const auto ok = [](const auto& each) { return each.code == protocol::zookeeper_code::ok; };
    to.flag(answer.set_denied);
    to.number(static_cast<std::uint64_t>(
        std::find_if_not(answer.results.begin(), answer.results.end(), ok) -
        answer.results.begin()));
}

// Where leases were taken: how many there were, and who stood in line.
void describe_leases_made(request_purpose why, const protocol::reply& answer, state_words& to) {
    for (const auto& step : answer.results) {
        to.node(step.path);
        to.zxid(step.stat.mzxid);
        if (why == request_purpose::try_leases) {
            to.zxid(step.stat.czxid);
            to.number(static_cast<std::uint64_t>(step.stat.children));
        }
    }
}

// Of each ticket: the set of its lock path, and its create.
void describe_company_made(const protocol::reply& answer, state_words& to) {
    for (const auto& step : answer.results) {
        to.node(step.path);
        to.zxid(step.stat.czxid);
        to.zxid(step.stat.mzxid);
        to.flag(step.stat.children == 0);
    }
}

// As far as a machine reads answers of that kind.
void describe_answer(const protocol::request& asked, request_purpose why,
                     const protocol::reply& answer, state_words& to) {
    to.choice(answer.code);
    if (answer.code != protocol::zookeeper_code::ok)
        return describe_refusal(answer, to);
    switch (asked.op) {
    case operation::enqueue:
        to.node(answer.path);
        to.zxid(answer.stat.czxid);
        to.zxid(answer.stat.mzxid);
        to.flag(answer.stat.children == 0); // one is a crowd here
        break;
    case operation::get:
        to.zxid(answer.stat.czxid);
        to.session(answer.stat.ephemeral_owner);
        to.data(answer.data);
        if (why == request_purpose::find_limit)
            to.version(asked.path, answer.stat.version);
        break;
    case operation::exists: // else that it is there
        if (why == request_purpose::examine_holder) {
            to.zxid(answer.stat.czxid);
            to.zxid_before(answer.stat.mzxid);
            to.number(static_cast<std::uint64_t>(answer.stat.children));
            to.version(asked.path, answer.stat.version);
        }
        break;
    case operation::create_holder: // of the lock path
        to.zxid(answer.stat.czxid);
        to.zxid(answer.stat.mzxid);
        to.number(static_cast<std::uint64_t>(answer.stat.children));
        to.version(asked.path.substr(0, asked.path.rfind('/')), answer.stat.version);
        break;
    case operation::get_children:
        to.zxid(answer.stat.czxid);
        to.number(answer.children.size());
        for (const auto& child : answer.children)
            to.node(child);
        if (why == request_purpose::list_leases)
            to.lease_bound(answer.stat.next_sequence());
        if (why == request_purpose::look_around)
            to.version(asked.path, answer.stat.version);
        break;
    case operation::create_container:
        to.zxid(answer.stat.czxid);
        break;
    case operation::transact:
        if (why == request_purpose::enqueue_company)
            return describe_company_made(answer, to);
        // the set's, and the create's where there is one
        if (why == request_purpose::try_leases || why == request_purpose::take_leases)
            return describe_leases_made(why, answer, to);
        for (const auto& step : answer.results) {
            to.node(step.path);
            to.zxid(step.stat.mzxid);
            to.flag(step.stat.children == 1);
        }
        break;
    default:
        break;
    }
}

} // namespace

void small_client::describe(state_words& to) const {
    protocol::machine_state(machine_, to).describe();
    to.part("caller");
    const auto all = tickets();
    to.number(all.size());
    for (const auto id : all) {
        to.ticket(id);
        to.choice(stage_of(id));
        to.flag(may_fail_.contains(id));
        to.flag(downgraded_.contains(id));
        to.flag(upgraded_.contains(id));
    }
    to.flag(forsaken_ == session());
    to.part("old connections");
    for (const auto& on : old_)
        if (on->open_there && !on->up.empty()) {
            to.connection(on->number);
            to.session(on->session);
            to.number(on->up.size());
            for (const auto& message : on->up)
                test::describe(message, to);
        }
    to.part("connection");
    to.flag(connection_ != nullptr);
    if (connection_)
        describe_connection(*connection_, to);
}

void small_client::describe_connection(const small_connection& on, state_words& to) const {
    to.connection(on.number);
    to.flag(on.open_there);
    to.session(on.session);
    std::map<protocol::request_id, const protocol::reply*> answers;
    to.part("on its way here");
    to.number(on.down.size());
    for (const auto& message : on.down) {
        to.number(message.index());
        if (const auto up = std::get_if<small_connection::connected>(&message)) {
            to.session(up->session);
        } else if (const auto answer = std::get_if<small_connection::answer>(&message)) {
            answers[answer->id] = &answer->what; // answers come in the order of requests
        } else if (const auto event = std::get_if<small_connection::event>(&message)) {
            to.node(event->path);
            to.choice(event->what);
        } else {
            to.choice(std::get<small_connection::end>(message).why);
        }
    }
    to.part("on its way there");
    to.number(on.up.size());
    for (const auto& message : on.up)
        if (!std::holds_alternative<small_connection::ask>(message))
            test::describe(message, to);
    to.number(open_.size());
    for (const auto& [id, what] : open_) {
        const auto awaited = protocol::machine_state(machine_, to).describe_request(id, what);
        const auto answer = answers.find(id);
        to.part("request");
        if (answer == answers.end() || awaited)
            test::describe(what, to);
        to.part("answer");
        to.flag(answer != answers.end());
        if (answer == answers.end())
            continue;
        if (awaited)
            describe_answer(what, *awaited, *answer->second, to);
        else
            to.flag(protocol::answered(answer->second->code));
    }
}

} // namespace turnstile::test
