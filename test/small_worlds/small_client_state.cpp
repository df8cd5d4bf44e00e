// What tells the states of a small client apart: its machine, and what is under way.
#include "small_client.hpp"

#include "machine_state.hpp"

#include "protocol/names/ticket_data.hpp"

namespace turnstile::test {

using protocol::operation;

namespace {

void describe(const protocol::request& what, state_words& to) {
    to.choice(what.op);
    to.node(what.path);
    to.flag(what.watch);
    to.node(what.target);
    to.marked(protocol::request_of(what.data));
    to.flag(protocol::is_marked_clear(what.data));
    to.number(what.steps.size());
    for (const auto& step : what.steps) {
        to.choice(step.what);
        to.node(step.path);
        to.marked(protocol::request_of(step.data));
    }
}

void describe(const small_connection::to_server& message, state_words& to) {
    to.number(message.index());
    if (const auto wish = std::get_if<small_connection::attach>(&message))
        to.session(wish->wanted);
    else if (const auto asked = std::get_if<small_connection::ask>(&message))
        describe(asked->what, to);
}

// As far as a machine reads answers of that kind.
void describe_answer(operation op, const protocol::reply& answer, state_words& to) {
    to.choice(answer.code);
    if (answer.code != protocol::zookeeper_code::ok)
        return to.flag(answer.set_denied);
    switch (op) {
    case operation::enqueue:
        to.node(answer.path);
        to.zxid(answer.stat.czxid);
        to.zxid(answer.stat.mzxid);
        to.flag(answer.stat.children == 0); // one is a crowd here
        break;
    case operation::get:
        to.zxid(answer.stat.czxid);
        to.session(answer.stat.ephemeral_owner);
        to.marked(protocol::request_of(answer.data));
        to.flag(protocol::is_marked_clear(answer.data));
        break;
    case operation::get_children:
        to.zxid(answer.stat.czxid);
        to.number(answer.children.size());
        for (const auto& child : answer.children)
            to.node(child);
        break;
    case operation::create_container:
        to.zxid(answer.stat.czxid);
        break;
    case operation::transact: // the set's, and the create's where there is one
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
    protocol::machine_state(*machine_, to).describe();
    to.part("caller");
    to.number(tickets_.size());
    for (const auto id : tickets_) {
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
        const bool awaited = protocol::machine_state(*machine_, to).describe_request(id);
        const auto answer = answers.find(id);
        to.part("request");
        if (answer == answers.end() || awaited)
            test::describe(what, to);
        to.part("answer");
        to.flag(answer != answers.end());
        if (answer == answers.end())
            continue;
        if (awaited)
            describe_answer(what.op, *answer->second, to);
        else
            to.flag(protocol::answered(answer->second->code));
    }
}

} // namespace turnstile::test
