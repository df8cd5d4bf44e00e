// SPDX-License-Identifier: BSL-1.0
// One modelled server, without a network before it.
#pragma once

#include "side.hpp"

#include "model/model_ensemble.hpp"

#include <memory>
#include <vector>

namespace turnstile::test {

class model_side final : public side {
public:
    model_side(std::size_t sessions, bool exists_needs_read);

    void take(const step& next) override;
    std::vector<std::vector<heard>> listen() override;

    std::size_t sessions() const { return ears_.size(); }
    bool connected(std::size_t who) const { return ears_[who]->connection != 0; }
    model_session session(std::size_t who) const { return ears_[who]->session; }
    const model_tree& tree() const { return ensemble_.truth(); }

private:
    struct ear final : model_caller {
        void connected(model_session which) override;
        void replied(protocol::request_id id, const protocol::reply& answer) override;
        void fired(protocol::watch_event event, const std::string& path) override;
        void hung_up(protocol::disconnect_reason why) override;

        model_session session = 0;
        model_connection connection = 0; // 0: none
        std::vector<heard> words;
    };

    void connect(std::size_t who);
    void cut(ear& which);
    void expire(std::size_t who);
    model_replica& server() { return ensemble_.server(0); }

    event_queue events_;
    model_ensemble ensemble_;
    std::vector<std::shared_ptr<ear>> ears_;
};

} // namespace turnstile::test
