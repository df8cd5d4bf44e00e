// SPDX-License-Identifier: BSL-1.0
#include "session/session_log.hpp"

#include "protocol/names/text_parts.hpp"

#include <utility>

namespace turnstile::detail {

std::string chroot_of(const std::string& servers) {
    const auto slash = servers.find('/');
    return slash == std::string::npos ? std::string() : servers.substr(slash) + ": ";
}

bool session_log::is_said_again(std::string_view text, clock::time_point now) {
    std::erase_if(warned_,
                  [&](const auto& each) { return now - each.second >= std::chrono::minutes(1); });
    return !warned_.try_emplace(std::string(text), now).second;
}

std::optional<session_log::line> session_log::say(log_level level, std::string_view text) {
    if (level == log_level::warning && takes(level) && is_said_again(text, clock::now()))
        level = log_level::debug;
    if (!takes(level))
        return std::nullopt;
    std::string full_text = session_ == 0 ? "no session" : "session 0x";
    if (session_ != 0)
        protocol::append_hexadecimal(full_text, static_cast<std::uint64_t>(session_));
    if (!server_.empty())
        full_text.append(" at ").append(server_);
    full_text.append(": ").append(text);
    return line{level, std::move(full_text)};
}

std::optional<session_log::line> session_log::answered(std::int64_t session,
                                                       const std::string& server,
                                                       std::chrono::milliseconds timeout) {
    if (!server_.empty())
        return std::nullopt;
    const bool is_known = std::exchange(session_, session) == session;
    server_ = server;
    troubled_.clear();
    causes_.clear();
    named_.erase(server);
    return say(log_level::info, std::string(is_known ? "reconnected" : "connected") +
                                    ", session timeout " + std::to_string(timeout.count()) + " ms");
}

std::optional<session_log::line> session_log::failed(const diagnostics& what) {
    troubled_ = what.server;
    causes_[what.server] = what.cause;
    const bool had_answered = !std::exchange(server_, {}).empty();
    if (had_answered)
        return say(log_level::warning, "connection to " + what.server + " lost: " + what.cause);
    const bool is_new = named_[what.server].insert(what.cause).second;
    return say(
        is_new ? log_level::warning : log_level::debug,
        "server " + what.server + " cannot be used: " + what.cause +
            (is_new ? "; it is tried again, and this is not said again until it answers" : ""));
}

std::optional<diagnostics> session_log::trouble() const {
    const auto last = causes_.find(troubled_);
    if (last == causes_.end())
        return std::nullopt;
    auto cause = last->second;
    for (const auto& [server, why] : causes_)
        if (server != troubled_)
            cause.append("; ").append(server).append(": ").append(why);
    return diagnostics{.server = troubled_, .cause = std::move(cause)};
}

std::optional<session_log::line> session_log::lost(log_level level, const std::string& path,
                                                   const std::string& reason,
                                                   lease_clock::time_point when) {
    if (!takes(level))
        return std::nullopt;
    if (std::exchange(lost_at_, when) != when)
        lost_paths_.clear();
    return lost_paths_.insert(path).second ? say(level, "lost " + path + ": " + reason)
                                           : std::nullopt;
}

} // namespace turnstile::detail
