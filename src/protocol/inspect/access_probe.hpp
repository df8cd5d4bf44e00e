// SPDX-License-Identifier: BSL-1.0
// Finds out which rights the session has at a node, without a change.
#pragma once

#include "protocol/wire/path_question.hpp"

#include <turnstile/path_access.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace turnstile::protocol {

/// A transaction creates a node, deletes it, and ends with a set that no version fits: so all of it
/// is refused, and the first step that was refused for want of a right shows that right.
class access_probe : public path_question {
public:
    access_probe(std::string path, bool compares)
        : found_{.node = std::move(path), .exists = true}, compares_(compares) {}

    request question() const override;
    void on_answer(const reply& answer) override;

    path_access take() { return std::move(found_); }

private:
    enum class step : std::uint8_t { reading, comparing, creating };

    void on_read(zookeeper_code code);
    void on_refused(const reply& answer);
    void go_up();

    path_access found_;
    bool compares_; // also compares the node's ACL with that of the session's nodes
    step now_ = step::reading;
};

} // namespace turnstile::protocol
