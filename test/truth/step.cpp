// SPDX-License-Identifier: BSL-1.0
#include "step.hpp"

#include "support/names.hpp"

#include <array>
#include <variant>

namespace turnstile::test {

std::string step::str() const {
    constexpr std::array names{"connect", "ask",    "cut", "close", "session end",
                               "expire",  "remove", "set", "deny",  "allow"};
    auto text = std::to_string(who) + ' ' + names.at(static_cast<std::size_t>(what)) + ' ' + path;
    if (what == kind::deny || what == kind::allow)
        text += " right " + std::to_string(static_cast<int>(right));
    for (const auto& each : asked)
        text += " [" + std::to_string(each.id) + ": " + text_of(each.what) + ']';
    return text;
}

namespace {

std::string text_of_answer(const reports::answer& word) {
    const auto& [id, what] = word;
    auto text = std::to_string(id) + ": code " + std::to_string(static_cast<int>(what.code));
    if (!what.path.empty())
        text += " path " + what.path;
    text += " czxid " + std::to_string(what.stat.czxid) + " mzxid " +
            std::to_string(what.stat.mzxid) + " owner " +
            std::to_string(what.stat.ephemeral_owner) + " children " +
            std::to_string(what.stat.children) + " bytes " + std::to_string(what.data.size());
    for (const auto& child : what.children)
        text += ' ' + child;
    return what.first_step_denied ? text + " first step denied" : text;
}

} // namespace

std::string text_of(const heard& word) {
    if (const auto answer = std::get_if<reports::answer>(&word))
        return text_of_answer(*answer);
    if (const auto event = std::get_if<reports::event>(&word))
        return "event " + std::to_string(static_cast<int>(event->what)) + ' ' + event->path;
    if (const auto end = std::get_if<reports::end>(&word))
        return "end " + std::to_string(static_cast<int>(end->why));
    return "connected";
}

} // namespace turnstile::test
