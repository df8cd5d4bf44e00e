#pragma once

#include "stage.hpp"
#include "steering.hpp"
#include "verdicts.hpp"

namespace turnstile::matrix {

/// Plays one cell: puts everybody in place, has the fault happen, steers what comes after, lets
/// everybody be served, and holds what it saw against the invariants.
class scene {
public:
    scene(const arena& where, const cell& what, std::uint64_t seed)
        : stage_{where, what, seed}, verdicts_{stage_} {}

    /// What was wrong; empty if all was well.
    std::vector<std::string> play();

private:
    void set_up();
    void make_path();
    void make_parts();
    void make_semaphore();
    void make_crowd();
    [[nodiscard]] bool is_crowded() const;
    [[nodiscard]] bool is_marked();
    void make_gap();
    void take_place();
    void wait();
    void hold();
    void change();
    void lose_answer();
    void cause();
    void delete_waiting_ticket();
    void be_overtaken();
    void think_again();
    void let_last_join();
    void serve_everybody();
    void serve_once_more();
    void end();

    stage stage_;
    verdicts verdicts_;
};

} // namespace turnstile::matrix
