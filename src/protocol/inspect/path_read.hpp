// SPDX-License-Identifier: BSL-1.0
// Reads the data or the children of any node.
#pragma once

#include "protocol/wire/path_question.hpp"

#include <utility>

namespace turnstile::protocol {

class path_read : public path_question {
public:
    explicit path_read(request question) : question_(std::move(question)) {}

    request question() const override { return question_; }
    void on_answer(const reply& answer) override {
        const bool missing = answer.code == zookeeper_code::no_node;
        if (outcome_unknown(answer.code))
            return;
        found_ = answer;
        if (answer.code == zookeeper_code::ok)
            end(failure::none);
        else
            end(missing && question_.path == "/" ? failure::no_chroot
                                                 : failure_of_read(answer.code),
                answer.code);
    }

    const reply& found() const { return found_; }

private:
    request question_;
    reply found_{};
};

} // namespace turnstile::protocol
