// SPDX-License-Identifier: BSL-1.0
// The base of all questions about a path: their requests, and their end.
#pragma once

#include "protocol/wire/failure.hpp"
#include "protocol/wire/message.hpp"
#include "protocol/wire/zookeeper_code.hpp"

#include <cstddef>
#include <vector>

namespace turnstile::protocol {

/// A question, such as path_read, is a class that says which requests come next, and takes their
/// answers. inquiries sends the requests, and brings the answers until the question is over. After
/// a lost answer to a read it sends the read again by itself. Most questions have one request at a
/// time, which has the number 0. They override question() and on_answer().
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
    /// Whether no request comes next: the last one has set a watch, and is answered again.
    virtual bool awaits() const { return false; }

    /// From when unreachable_limit counts for a request. True: from the begin of the request.
    /// False: from the begin of the question.
    virtual bool waits_anew() const { return false; }
    /// Whether the question goes on if no server is reached for longer than unreachable_limit. Its
    /// caller ends it with the lock that it belongs to.
    virtual bool outlasts_limit() const { return false; }
    /// Whether the question waits until its lock path is made, as for an acquire. on_path() is
    /// called then, also if the path could not be made.
    virtual bool needs_path() const { return false; }
    virtual void on_path(failure /*why*/, zookeeper_code /*code*/) {}
    /// The connection was lost. True: the question begins anew, with next(). False: its open
    /// request is sent again.
    virtual bool starts_over() { return false; }
    /// Whether there is something to report before the end. Only the first call says so.
    virtual bool has_news() { return false; }
    /// The caller has cancelled the question. True: it has made a node, and first deletes that.
    virtual bool take_back() { return false; }

    // The result, once it is over.
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
