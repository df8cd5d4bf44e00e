// SPDX-License-Identifier: BSL-1.0
// What all questions about a path have in common: their requests, and their end.
#pragma once

#include "protocol/wire/failure.hpp"
#include "protocol/wire/message.hpp"
#include "protocol/wire/zookeeper_code.hpp"

#include <cstddef>
#include <vector>

namespace turnstile::protocol {

/// A class of this kind says which requests come next, and takes their answers. The session machine
/// sends the former and brings the latter until it is over (see inquiries). Most have one request
/// at a time, which is number 0.
class path_question {
public:
    struct numbered_request {
        std::size_t number;
        request what;
    };

    virtual ~path_question() = default;

    bool over() const { return over_; }
    /// What is to be asked now, in one flight. Nothing while answers are missing.
    virtual std::vector<numbered_request> next() {
        if (awaits())
            return {};
        return {{.number = 0, .what = question()}};
    }
    virtual void on_answer_to(std::size_t /*number*/, const reply& answer) { on_answer(answer); }

    // Of those with one request at a time.
    virtual request question() const { return {}; }
    virtual void on_answer(const reply&) {}
    /// Nothing is to be asked: the last request, which watches, is answered again.
    virtual bool awaits() const { return false; }

    /// Its requests wait for an answer from their own beginning on, and not from the question's:
    /// one that servers never carry out would not end.
    virtual bool waits_anew() const { return false; }
    /// It waits for the lock path of its question, made as for an acquire, and asks nothing.
    virtual bool needs_path() const { return false; }
    virtual void on_path(failure /*why*/, zookeeper_code /*code*/) {}
    /// The connection was lost. True where it asks something else now than what is open.
    virtual bool starts_over() { return false; }
    /// Something is to be told before its end. Said once.
    virtual bool has_news() { return false; }
    /// Nobody waits for it any more. True where it has something to put back first.
    virtual bool take_back() { return false; }

    failure why() const { return why_; }
    zookeeper_code code() const { return code_; }
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
