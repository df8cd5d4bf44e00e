// SPDX-License-Identifier: BSL-1.0
#include "model_side.hpp"

#include <utility>

namespace turnstile::test {

using namespace std::chrono_literals;
using protocol::disconnect_reason;

namespace {

constexpr protocol::request_id beat = 0; // its answer is no part of the script

} // namespace

void model_side::ear::connected(model_session which) {
    session = which;
    words.emplace_back(reports::connected{which});
}

void model_side::ear::replied(protocol::request_id id, const protocol::reply& answer) {
    if (id != beat)
        words.emplace_back(reports::answer{id, answer});
}

void model_side::ear::fired(protocol::watch_event event, const std::string& path) {
    words.emplace_back(reports::event{event, path});
}

void model_side::ear::hung_up(disconnect_reason why) {
    connection = 0;
    if (why != disconnect_reason::lost)
        session = 0;
    words.emplace_back(reports::end{why});
}

model_side::model_side(std::size_t sessions, bool exists_needs_read)
    : ensemble_(events_, 1, 1,
                {.timeout = 1s, .tick = 200ms, .exists_needs_read = exists_needs_read},
                [](const model_replica&, const model_txn&, std::size_t) {}) {
    for (std::size_t i = 0; i < sessions; ++i)
        ears_.push_back(std::make_shared<ear>());
}

std::vector<std::vector<heard>> model_side::listen() {
    std::vector<std::vector<heard>> result;
    for (const auto& each : ears_)
        result.push_back(std::exchange(each->words, {}));
    return result;
}

void model_side::take(const step& next) {
    auto& who = *ears_[next.who];
    switch (next.what) {
    case step::kind::connect:
        return connect(next.who);
    case step::kind::ask:
        for (const auto& [id, what] : next.asked)
            if (who.connection != 0)
                server().receive(who.connection, id, what);
        return;
    case step::kind::cut:
        return cut(who);
    case step::kind::close:
        return server().close_session(who.connection);
    case step::kind::session_end:
        return ensemble_.end_session(who.session);
    case step::kind::expire:
        return expire(next.who);
    case step::kind::remove:
        return ensemble_.remove(next.path);
    case step::kind::set:
        return ensemble_.set_by_hand(next.path, "by hand");
    case step::kind::deny:
    case step::kind::allow:
        return ensemble_.change_right(next.right, next.path, next.what == step::kind::allow);
    }
}

void model_side::connect(std::size_t who) {
    auto& which = *ears_[who];
    which.connection = ensemble_.next_connection();
    server().attach(which.connection, ears_[who], which.session);
}

void model_side::cut(ear& which) {
    server().hang_up(which.connection);
    which.connection = 0;
    which.words.emplace_back(reports::end{disconnect_reason::lost});
}

void model_side::expire(std::size_t who) {
    const auto session = ears_[who]->session;
    connect(who);
    cut(*ears_[who]);
    while (tree().alive(session)) {
        for (const auto& other : ears_)
            if (other->connection != 0)
                server().receive(other->connection, beat,
                                 {.op = protocol::operation::exists, .path = "/"});
        const auto end = events_.now() + ensemble_.timeout() / 8;
        events_.at(end, [] {});
        while (events_.step(end)) {
        }
    }
}

} // namespace turnstile::test
