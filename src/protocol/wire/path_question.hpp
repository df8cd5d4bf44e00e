// SPDX-License-Identifier: BSL-1.0
// What all questions about a path have in common: their end.
#pragma once

#include "protocol/wire/failure.hpp"
#include "protocol/wire/message.hpp"
#include "protocol/wire/zookeeper_code.hpp"

namespace turnstile::protocol {

/// A class of this kind says which request comes next, and takes its answer. The owner of a session
/// sends the former and brings the latter until it is over.
class path_question {
public:
    bool over() const { return over_; }
    /// No question is to be asked: the last one is answered again.
    bool awaits() const { return false; }
    // Of one that asks several at a time, and has them brought in another way.
    request question() const { return {}; }
    void on_answer(const reply&) {}
    failure why() const { return why_; }
    zookeeper_code code() const { return code_; }

protected:
    void end(failure why, zookeeper_code code = zookeeper_code::ok) {
        over_ = true;
        why_ = why;
        code_ = code;
    }

private:
    bool over_ = false;
    failure why_ = failure::none;
    zookeeper_code code_ = zookeeper_code::ok;
};

} // namespace turnstile::protocol
