// SPDX-License-Identifier: BSL-1.0
// The children of any node, as somebody asks for them who looks for lock paths.
#pragma once

#include "protocol/wire/failure.hpp"
#include "protocol/wire/message.hpp"
#include "protocol/wire/zookeeper_code.hpp"

#include <string>
#include <utility>
#include <vector>

namespace turnstile::protocol {

/// Asks one question; the owner of a session sends it and brings the answer.
class child_listing {
public:
    explicit child_listing(std::string path) : path_(std::move(path)) {}

    request question() const { return {.op = operation::get_children, .path = path_}; }
    void on_answer(const reply& answer) {
        if (outcome_unknown(answer.code))
            return; // asked again
        over_ = true;
        code_ = answer.code;
        if (code_ == zookeeper_code::ok)
            names_ = answer.children;
        else if (code_ == zookeeper_code::no_node && path_ == "/")
            why_ = failure::no_chroot;
        else
            why_ = failure_of_read(code_);
    }

    bool over() const { return over_; }
    failure why() const { return why_; }
    zookeeper_code code() const { return code_; }
    std::vector<std::string> take() { return std::move(names_); }

private:
    std::string path_;
    std::vector<std::string> names_{};
    bool over_ = false;
    failure why_ = failure::none;
    zookeeper_code code_ = zookeeper_code::ok;
};

} // namespace turnstile::protocol
