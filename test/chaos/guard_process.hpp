// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "run_clock.hpp"
#include "schedule_book.hpp"
#include "support/child_process.hpp"
#include "support/dice.hpp"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace turnstile::chaos {

/// `turnstile guard`, which runs beside the workers, and is killed and stopped as they are. All
/// calls on one thread, which must outlive the object.
class guard_process {
public:
    guard_process(std::filesystem::path command, std::filesystem::path folder, schedule_book& book,
                  test::dice draws);

    [[nodiscard]] static std::string socket_in(const std::filesystem::path& folder) {
        return (folder / "guard.sock").string();
    }
    /// Begins a fault, or ends one, when it is time.
    void look(run_clock::clock::time_point now);
    void heal();
    /// How many sessions of killed workers the guard has ended.
    [[nodiscard]] std::size_t ended() const;

private:
    using time_point = run_clock::clock::time_point;

    void start();

    const std::filesystem::path command_;
    const std::filesystem::path folder_;
    schedule_book& book_;
    test::dice draws_;
    std::optional<test::child_process> process_;
    time_point next_fault_;
    time_point heals_at_ = time_point::max();
};

} // namespace turnstile::chaos
