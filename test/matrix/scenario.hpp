// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "fixture.hpp"
#include "steering.hpp"
#include "verdicts.hpp"

namespace turnstile::matrix {

/// Runs one cell: puts everybody in place, has the fault happen, steers what comes after, lets
/// everybody be served, and holds what it saw against the invariants.
class scenario {
public:
    scenario(const server_set& where, const cell& what, std::uint64_t seed)
        : fixture_{where, what, seed}, verdicts_{fixture_} {}

    /// What was wrong; empty if all was well.
    std::vector<std::string> run();

private:
    void set_up();
    void make_path();
    void make_parts();
    void take_place();
    void wait();
    void hold();
    void lose_answer();
    void cause();
    void delete_waiting_ticket();
    void cancel();
    void let_last_join();
    void serve_everybody();
    void serve_once_more();
    void end();

    fixture fixture_;
    verdicts verdicts_;
};

} // namespace turnstile::matrix
