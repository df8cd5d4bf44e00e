// SPDX-License-Identifier: BSL-1.0
// A port that keeps what the machine sends, until a test answers it.
#pragma once

#include "support/names.hpp"

#include "protocol/wire/port.hpp"
#include "support/pch.hpp"

namespace turnstile::test {

class scripted_port : public protocol::port {
public:
    struct sent_request {
        protocol::request_id id;
        protocol::request what;
    };

    void connect(const protocol::connect_request& to) override { connects.push_back(to); }
    void send(protocol::request_id id, const protocol::request& what) override {
        open.push_back({id, what});
    }
    void drop() override { ++drops; }
    void close_session() override { ++closes; }

    /// What is unanswered, oldest first.
    std::vector<std::string> texts() const {
        std::vector<std::string> result;
        for (const auto& request : open)
            result.push_back(text_of(request.what));
        return result;
    }

    std::deque<sent_request> open;
    std::vector<protocol::connect_request> connects;
    int drops = 0;
    int closes = 0;
};

} // namespace turnstile::test
