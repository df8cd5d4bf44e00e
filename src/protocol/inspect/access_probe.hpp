// SPDX-License-Identifier: BSL-1.0
// Which rights the session has at a node, found out without a change.
#pragma once

#include "protocol/wire/path_question.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace turnstile::protocol {

/// A transaction creates a node, deletes it, and ends with a set that no version fits: so all of it
/// is refused, and the first step that was refused for want of a right tells that right.
class access_probe : public path_question {
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

    result take() { return std::move(found_); }

private:
    enum class step : std::uint8_t { reading, comparing, creating };

    void on_read(zookeeper_code code);
    void on_refused(const reply& answer);
    void go_up();

    result found_;
    bool compares_; // where the node is there, who may do more than the session's nodes let them
    step now_ = step::reading;
};

} // namespace turnstile::protocol
