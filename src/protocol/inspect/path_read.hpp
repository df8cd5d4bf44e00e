// SPDX-License-Identifier: BSL-1.0
// The data of any node, or its children.
#pragma once

#include "protocol/wire/path_question.hpp"

#include <string>
#include <utility>

namespace turnstile::protocol {

class path_read : public path_question {
public:
    path_read(operation what, std::string path) : question_{.op = what, .path = std::move(path)} {}

    const request& question() const { return question_; }
    void on_answer(const reply& answer) {
        if (outcome_unknown(answer.code))
            return; // asked again
        found_ = answer;
        if (answer.code == zookeeper_code::ok)
            end(failure::none);
        else if (answer.code == zookeeper_code::no_node && question_.path == "/")
            end(failure::no_chroot, answer.code);
        else
            end(failure_of_read(answer.code), answer.code);
    }

    const reply& found() const { return found_; }

private:
    request question_;
    reply found_{};
};

} // namespace turnstile::protocol
