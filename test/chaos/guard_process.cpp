// SPDX-License-Identifier: BSL-1.0
#include "guard_process.hpp"

#include <fstream>
#include <utility>

namespace turnstile::chaos {

guard_process::guard_process(std::filesystem::path command, std::filesystem::path folder,
                             schedule_book& book, test::dice draws)
    : command_{std::move(command)}, folder_{std::move(folder)}, book_{book}, draws_{draws} {
    start();
    next_fault_ = run_clock::clock::now() + draws_.between(5'000, 15'000);
}

void guard_process::start() {
    process_.reset();
    process_.emplace(test::child_process::options{
        .argv = {command_.string(), "guard", "--socket", socket_in(folder_), "--verbose"},
        .output_file = folder_ / "guard.log"});
}

void guard_process::look(time_point now) {
    if (now >= heals_at_)
        heal();
    if (now < next_fault_)
        return;
    const auto duration = draws_.between(100, 3'000);
    const bool killed = draws_.below(2) == 0;
    book_.fault(killed ? "guard crash" : "guard pause", "guard", duration);
    if (killed)
        process_->kill_and_wait();
    else
        process_->freeze();
    heals_at_ = now + duration;
    next_fault_ = heals_at_ + draws_.between(5'000, 15'000);
}

void guard_process::heal() {
    heals_at_ = time_point::max();
    process_->thaw();
    if (!process_->running())
        start();
}

std::size_t guard_process::ended() const {
    std::ifstream in{folder_ / "guard.log"};
    std::size_t result = 0;
    for (std::string line; std::getline(in, line);)
        result += line.ends_with("is ended") ? 1 : 0;
    return result;
}

} // namespace turnstile::chaos
