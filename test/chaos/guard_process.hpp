// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "run_clock.hpp"
#include "schedule_book.hpp"
#include "support/child_process.hpp"
#include "support/dice.hpp"
#include "support/hostile_user.hpp"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace turnstile::chaos {

/// The program `turnstile guard`, which runs beside the workers. It is killed and paused as they
/// are. If root runs the test, another user of the host attacks the guard, too. process_faults
/// calls it. All calls come from one thread, which must outlive the object.
class guard_process {
public:
    /// `pick_prey` names a worker's session, which the hostile user registers as its own.
    guard_process(std::filesystem::path command, std::filesystem::path folder, schedule_book& book,
                  test::dice draws, std::function<test::prey()> pick_prey);

    [[nodiscard]] static std::string socket_in(const std::filesystem::path& folder) {
        return (folder / "guard.sock").string();
    }
    /// Begins and ends what is due: a fault, or an attack. To be called again and again.
    void do_due(run_clock::clock::time_point now);
    /// Ends the present fault: the guard runs again.
    void heal();
    /// How many sessions of killed workers the guard has ended.
    [[nodiscard]] std::size_t ended() const;
    /// How many hostile processes the guard has seen die, which had registered a worker's session.
    [[nodiscard]] std::size_t hostile_ends() const;

private:
    using time_point = run_clock::clock::time_point;

    void start();
    void attack();
    /// How many sessions the guard has ended, by its log: those of hostile users, or all others.
    [[nodiscard]] std::size_t count_ends(bool of_hostile_users) const;

    const std::filesystem::path command_;
    const std::filesystem::path folder_;
    schedule_book& book_;
    test::dice draws_;
    const std::function<test::prey()> pick_prey_;
    std::optional<test::child_process> process_;
    std::optional<test::hostile_user> attacker_; // lives on until the next attack
    time_point next_attack_;                     // max: none, for only root can make other users
    time_point next_fault_;
    time_point heals_at_ = time_point::max(); // max: there is no fault now
};

} // namespace turnstile::chaos
