// SPDX-License-Identifier: BSL-1.0
// Finds out which rights the session has at a node, without a change.
#pragma once

#include "protocol/wire/path_question.hpp"

#include <turnstile/path_access.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace turnstile::protocol {

/// A transaction creates a node, deletes it, and ends with a set of a version that no node has. So
/// the server refuses it as a whole. The step that it refuses for want of a right shows that right.
/// If the node is missing, the nearest node above it is probed instead.
class access_probe : public path_question {
public:
    /// `compares_acls`: also asks whether the node gives others more rights than the session's
    /// nodes.
    access_probe(std::string path, bool compares_acls)
        : access_{.node = std::move(path), .exists = true}, compares_acls_(compares_acls) {}

    request question() const override;
    void on_answer(const reply& answer) override;

    path_access take() { return std::move(access_); }

private:
    // In this order; each node above begins with `reading` again.
    enum class step : std::uint8_t {
        reading,   // the node itself: is it there, and may it be read?
        comparing, // its ACL with that of the session's nodes
        creating,  // the transaction
    };

    void on_read(zookeeper_code code);
    /// The transaction was refused, as planned: each of its steps shows a right.
    void on_refused(const reply& answer);
    /// The node is missing: begins anew with the one above it.
    void go_up();

    path_access access_;
    bool compares_acls_;
    step step_ = step::reading;
};

} // namespace turnstile::protocol
