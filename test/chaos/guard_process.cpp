// SPDX-License-Identifier: BSL-1.0
#include "guard_process.hpp"

#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace turnstile::chaos {

guard_process::guard_process(std::filesystem::path command, std::filesystem::path folder,
                             schedule_book& book, test::dice draws,
                             std::function<test::prey()> pick_prey)
    : command_{std::move(command)},
      folder_{std::move(folder)},
      book_{book},
      draws_{draws},
      pick_prey_{std::move(pick_prey)} {
    // The hostile user must be able to reach the socket.
    std::filesystem::permissions(folder_, std::filesystem::perms{0755});
    start();
    const auto now = run_clock::clock::now();
    next_attack_ = ::geteuid() == 0 ? now + draws_.between(3'000, 6'000) : time_point::max();
    next_fault_ = now + draws_.between(5'000, 15'000);
}

void guard_process::start() {
    process_.reset();
    process_.emplace(
        test::child_process::options{.argv = {command_.string(), "guard", "--socket",
                                              socket_in(folder_), "--mode", "0666", "--verbose"},
                                     .output_file = folder_ / "guard.log"});
}

void guard_process::do_due(time_point now) {
    if (now >= heals_at_)
        heal();
    if (now >= next_attack_ && heals_at_ == time_point::max())
        attack();
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

// Draws one of the attacks that end soon. What it has opened stays open until the next attack.
void guard_process::attack() {
    std::vector<test::attack> quick;
    for (const auto& each : test::attacks())
        if (each.in_each_run && !each.never_returns)
            quick.push_back(each);
    auto prey = pick_prey_();
    prey.socket = socket_in(folder_);
    const auto& chosen = quick[draws_.below(quick.size())];
    book_.remark(std::string{"a hostile user registers at the guard: "} + chosen.name);
    attacker_.reset();
    attacker_.emplace(chosen, prey);
    next_attack_ = run_clock::clock::now() + draws_.between(3'000, 6'000);
}

std::size_t guard_process::ended() const { return count_ends(false); }

std::size_t guard_process::hostile_ends() const { return count_ends(true); }

// A hostile process registers the decoy session, too: its end shows that the process was seen to
// die.
std::size_t guard_process::count_ends(bool of_hostile_users) const {
    std::ostringstream decoy;
    decoy << "session 0x" << std::hex << test::decoy << ' ';
    std::ifstream in{folder_ / "guard.log"};
    std::size_t result = 0;
    for (std::string line; std::getline(in, line);)
        if (line.ends_with("is ended") && (line.find(decoy.str()) != line.npos) == of_hostile_users)
            ++result;
    return result;
}

} // namespace turnstile::chaos
