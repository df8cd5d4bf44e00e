// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "fixture.hpp"

#include <cstdint>
#include <vector>

namespace turnstile::matrix {

/// The fault, and what comes after it.
class steering {
public:
    /// Arms the fault: the next frame of the step meets it.
    explicit steering(fixture& s);

    /// Until the fault has been done.
    void await_fault();
    /// Leads the unlucky session to where the cell says, and waits until it is there.
    void run();

private:
    void end_session();
    void deliver_held();
    void let_back();
    [[nodiscard]] std::uint64_t handshakes() const;

    fixture& s_;
    const effect effect_;
    std::int64_t id_; ///< of the session before the fault
    test::rule_id rule_;
};

} // namespace turnstile::matrix
