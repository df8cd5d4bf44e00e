// SPDX-License-Identifier: BSL-1.0
// One modelled server, without a network before it.
#pragma once

#include "side.hpp"

#include "model/model_ensemble.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace turnstile::test {

using namespace std::chrono_literals;
using protocol::disconnect_reason;

inline constexpr protocol::request_id beat = 0; // its answer is no part of the script

class model_side final : public side {
public:
    model_side(std::size_t sessions, bool exists_needs_read)
        : ensemble_(events_, 1, 1,
                    {.timeout = 1s, .tick = 200ms, .exists_needs_read = exists_needs_read},
                    [](const model_replica&, const model_txn&, std::size_t) {}) {
        for (std::size_t i = 0; i < sessions; ++i)
            ears_.push_back(std::make_shared<ear>());
    }

    void take(const step& next) override {
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
    std::vector<std::vector<heard>> listen() override {
        std::vector<std::vector<heard>> result;
        for (const auto& each : ears_)
            result.push_back(std::exchange(each->words, {}));
        return result;
    }

    std::size_t sessions() const { return ears_.size(); }
    bool connected(std::size_t who) const { return ears_[who]->connection != 0; }
    model_session session(std::size_t who) const { return ears_[who]->session; }
    const model_tree& tree() const { return ensemble_.truth(); }

private:
    struct ear final : model_caller {
        inline void connected(model_session which) {
            session = which;
            words.emplace_back(reports::connected{which});
        }
        inline void replied(protocol::request_id id, const protocol::reply& answer) {
            if (id != beat)
                words.emplace_back(reports::answer{id, answer});
        }
        inline void fired(protocol::watch_event event, const std::string& path) {
            words.emplace_back(reports::event{event, path});
        }
        void hung_up(protocol::disconnect_reason why) override;

        model_session session = 0;
        model_connection connection = 0; // 0: none
        std::vector<heard> words;
    };

    void connect(std::size_t who) {
        auto& which = *ears_[who];
        which.connection = ensemble_.next_connection();
        server().attach(which.connection, ears_[who], which.session);
    }
    void cut(ear& which) {
        server().hang_up(which.connection);
        which.connection = 0;
        which.words.emplace_back(reports::end{disconnect_reason::lost});
    }
    void expire(std::size_t who) {
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
    model_replica& server() { return ensemble_.server(0); }

    event_queue events_;
    model_ensemble ensemble_;
    std::vector<std::shared_ptr<ear>> ears_;
};

inline void model_side::ear::hung_up(disconnect_reason why) {
    connection = 0;
    if (why != disconnect_reason::lost)
        session = 0;
    words.emplace_back(reports::end{why});
}

} // namespace turnstile::test
