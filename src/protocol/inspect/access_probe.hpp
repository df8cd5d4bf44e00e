// SPDX-License-Identifier: BSL-1.0
// Which rights the session has at a node, found out without a change.
#pragma once

#include "protocol/wire/failure.hpp"
#include "protocol/wire/message.hpp"
#include "protocol/wire/zookeeper_code.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace turnstile::protocol {

/// Asks one question at a time; the owner of a session sends it and brings the answer. A
/// transaction creates a node, deletes it, and ends with a set that no version fits: so all of it
/// is refused, and the first step that was refused for want of a right tells that right.
class access_probe {
public:
    enum class right : std::uint8_t { unknown, allowed, denied };
    struct result {
        std::string node{}; // the path, or the nearest one above it that is there
        bool exists = false;
        right read = right::unknown;
        right create = right::unknown;
        right write = right::unknown;
        right remove = right::unknown;
        bool gives_more = false; // to others, than the session's nodes do
    };

    access_probe(std::string path, bool compares)
        : found_{.node = std::move(path), .exists = true}, compares_(compares) {}

    request question() const;
    void on_answer(const reply& answer);

    bool over() const { return now_ == step::over; }
    failure why() const { return why_; }
    zookeeper_code code() const { return code_; }
    result take() { return std::move(found_); }

private:
    enum class step : std::uint8_t { reading, comparing, creating, over };

    void on_read(zookeeper_code code);
    void on_refused(const reply& answer);
    void go_up();
    void end(failure why, zookeeper_code code);

    result found_;
    bool compares_; // where the node is there, who may do more than the session's nodes let them
    step now_ = step::reading;
    failure why_ = failure::none;
    zookeeper_code code_ = zookeeper_code::ok;
};

} // namespace turnstile::protocol
