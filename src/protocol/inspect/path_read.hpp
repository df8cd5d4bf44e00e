// SPDX-License-Identifier: BSL-1.0
// Reads the data or the children of any node.
#pragma once

#include "protocol/wire/path_question.hpp"

#include <utility>

namespace turnstile::protocol {

/// Any read is one request. It is sent again until an answer comes.
class path_read : public path_question {
public:
    explicit path_read(request question) : question_(std::move(question)) {}

    request question() const override { return question_; }
    void on_answer(const reply& answer) override {
        if (outcome_unknown(answer.code))
            return;
        found_ = answer;
        if (answer.code == zookeeper_code::ok)
            return end(failure::none);
        const bool no_chroot = answer.code == zookeeper_code::no_node && question_.path == "/";
        end(no_chroot ? failure::no_chroot : failure_of_read(answer.code), answer.code);
    }

    /// The answer, once the question is over.
    const reply& found() const { return found_; }

private:
    request question_;
    reply found_{};
};

} // namespace turnstile::protocol
