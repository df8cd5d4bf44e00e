// SPDX-License-Identifier: BSL-1.0
// The children of any node, for those who look for lock paths.
#pragma once

#include "protocol/wire/path_question.hpp"

#include <string>
#include <utility>
#include <vector>

namespace turnstile::protocol {

class child_listing : public path_question {
public:
    explicit child_listing(std::string path) : path_(std::move(path)) {}

    request question() const { return {.op = operation::get_children, .path = path_}; }
    void on_answer(const reply& answer) {
        if (outcome_unknown(answer.code))
            return; // asked again
        names_ = answer.children;
        if (answer.code == zookeeper_code::ok)
            end(failure::none);
        else if (answer.code == zookeeper_code::no_node && path_ == "/")
            end(failure::no_chroot, answer.code);
        else
            end(failure_of_read(answer.code), answer.code);
    }

    std::vector<std::string> take() { return std::move(names_); }

private:
    std::string path_;
    std::vector<std::string> names_{};
};

} // namespace turnstile::protocol
