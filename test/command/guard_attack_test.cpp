// SPDX-License-Identifier: BSL-1.0
// Another user's registrations, whatever they are, end no session and hold no hand-over up.
#include "command/support/guard_client.hpp"
#include "command/support/guarded.hpp"
#include "command/support/hostile_user.hpp"
#include "command/support/tool.hpp"
#include "support/pch.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <string>

using namespace turnstile::test;
using namespace std::chrono_literals;

namespace {

struct victim {
    explicit victim(const guard_place& place) : holder(place, path) {
        holder.await_word("held");
        holder.await_registered();
    }
    /// Milliseconds until its lock was free.
    auto hand_over() {
        const auto begun = std::chrono::steady_clock::now();
        holder.process().kill_and_wait();
        await([&] { return tickets(path).empty(); }, at_once);
        return std::chrono::ceil<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                            begun)
            .count();
    }

    const std::string path = fresh_path("attacked");
    guarded_holder holder;
};

void check_attack(const attack& how) {
    INFO(how.name);
    const guard_place place;
    std::filesystem::permissions(std::filesystem::path(place.socket()).parent_path(),
                                 std::filesystem::perms(0755));
    running_guard guard{place, {"--mode", "0666"}};
    victim attacked{place};
    victim other{place};
    const auto calm = victim{place}.hand_over();
    const prey whom{.socket = place.socket(),
                    .servers = shared_server().address(),
                    .session = session_of(attacked.path),
                    .process = attacked.holder.process().pid()};
    const hostile_user attacker{how, whom};
    const auto during = other.hand_over();
    if (std::string_view(how.name).find("session of another") != std::string_view::npos &&
        std::string_view(how.name).ends_with("dies"))
        guard.await_word("session 0x777777 is ended"); // it has seen that process end
    CHECK(tickets(attacked.path).size() == 1);
    CHECK(attacked.holder.count("lost") == 0);
    const victim late{place}; // may still register
    const auto last = attacked.hand_over();
    std::cout << "attack: {\"registers\": \"" << how.name << "\", \"calm_ms\": " << calm
              << ", \"hand_over_ms\": " << during << ", \"of_the_attacked_ms\": " << last << "}\n";
}

bool can_be_another_user() {
    if (::geteuid() == 0)
        return true;
    WARN("only root can be another user");
    return false;
}

} // namespace

TEST_CASE("what another user registers ends no session and delays no hand-over") {
    if (!can_be_another_user())
        return;
    for (const auto& each : attacks())
        if (each.in_haste)
            check_attack(each);
}

TEST_CASE("each attack of another user on a guard", "[.][soak]") {
    for (const auto& each : attacks())
        check_attack(each);
}
