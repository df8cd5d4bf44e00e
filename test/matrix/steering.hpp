#pragma once

#include "stage.hpp"

#include <cstdint>
#include <vector>

namespace turnstile::matrix {

/// The fault, and what comes after it.
class steering {
public:
    /// Arms the fault: the next frame of the step meets it.
    explicit steering(stage& s);

    /// Until the fault has been done.
    void await_fault();
    /// The unlucky one has had its second thought, if it has any.
    void after_thought();
    /// Leads the unlucky session to where the cell says, and waits until it is there.
    void run();

private:
    void let_close();
    void end_session();
    void deliver_held();
    void let_back();
    [[nodiscard]] bool lasts_till_thought() const;
    [[nodiscard]] std::uint64_t handshakes() const;

    stage& s_;
    const effect effect_;
    std::int64_t id_; ///< of the session before the fault
    test::rule_id rule_;
};

} // namespace turnstile::matrix
