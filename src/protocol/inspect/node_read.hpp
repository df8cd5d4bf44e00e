// SPDX-License-Identifier: BSL-1.0
// The data of any node.
#pragma once

#include "protocol/wire/path_question.hpp"

#include <string>
#include <utility>

namespace turnstile::protocol {

class node_read : public path_question {
public:
    explicit node_read(std::string path) : path_(std::move(path)) {}

    request question() const { return {.op = operation::get, .path = path_}; }
    void on_answer(const reply& answer) {
        if (outcome_unknown(answer.code))
            return; // asked again
        found_ = answer;
        const bool ok = answer.code == zookeeper_code::ok;
        end(ok ? failure::none : failure_of_read(answer.code), answer.code);
    }

    const reply& found() const { return found_; }

private:
    std::string path_;
    reply found_{};
};

} // namespace turnstile::protocol
