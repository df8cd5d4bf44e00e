// SPDX-License-Identifier: BSL-1.0
#include "program/ticket_program.hpp"

#include <algorithm>
#include <string_view>

namespace turnstile::command {

bool is_stray(const participant& who) {
    return who.known == participant::knowledge::answered && who.session_id == 0;
}

std::string program_of(const participant& who) {
    if (!who.foreign && !is_stray(who))
        return "Turnstile";
    const std::string_view name = who.node;
    const auto has = [name](std::string_view part) {
        return name.find(part) != std::string_view::npos;
    };
    if (has("__lock__") || has("__rlock__"))
        return "Kazoo";
    if (has("__WRIT__") || has("__READ__"))
        return "Curator";
    // Both put an id in front of the names that they create. Curator's id has hyphens.
    constexpr std::string_view protected_by = "_c_";
    if (name.starts_with(protected_by) && has("-lock-")) {
        const auto id =
            name.substr(protected_by.size(), name.rfind("-lock-") - protected_by.size());
        return id.find('-') != std::string_view::npos ? "Curator" : "go-zookeeper";
    }
    if (name.starts_with("x-"))
        return "ZooKeeper's recipe";
    return "another program";
}

} // namespace turnstile::command
