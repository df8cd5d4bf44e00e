// SPDX-License-Identifier: BSL-1.0
// What all questions about a path have in common: their requests, and their end.
#pragma once

#include "protocol/wire/failure.hpp"
#include "protocol/wire/message.hpp"
#include "protocol/wire/zookeeper_code.hpp"

#include <cstddef>
#include <vector>

namespace turnstile::protocol {

/// A class of this kind says which requests come next, and takes their answers. inquiries sends the
/// requests, and brings the answers until the question is over. Most questions have one request at
/// a time, which is number 0.
class path_question {
public:
    struct numbered_request {
        std::size_t number;
        request what;
    };

    virtual ~path_question() = default;

    bool over() const { return over_; }
    /// The requests that are sent next, in one flight; empty while answers are missing.
    virtual std::vector<numbered_request> next() {
        if (awaits())
            return {};
        return {{.number = 0, .what = question()}};
    }
    virtual void on_answer_to(std::size_t /*number*/, const reply& answer) { on_answer(answer); }

    // For questions with one request at a time.
    virtual request question() const { return {}; }
    virtual void on_answer(const reply&) {}
    /// Whether no request comes next: the last one watches, and is answered again.
    virtual bool awaits() const { return false; }

    /// Whether each request has its own limit without a server, counted from its own begin. If not,
    /// it is counted from the begin of the question.
    virtual bool waits_anew() const { return false; }
    /// Whether it goes on if a server is away for longer than unreachable_limit: its caller ends it
    /// with the lock that it belongs to.
    virtual bool outlasts_limit() const { return false; }
    /// Whether it waits until the lock path of its question is made, as for an acquire.
    virtual bool needs_path() const { return false; }
    virtual void on_path(failure /*why*/, zookeeper_code /*code*/) {}
    /// The connection was lost. True: its next request is another one than the open one.
    virtual bool starts_over() { return false; }
    /// Whether there is something to report before the end. Only the first call says so.
    virtual bool has_news() { return false; }
    /// The caller has cancelled it. True: it has made something, and takes that back first.
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
