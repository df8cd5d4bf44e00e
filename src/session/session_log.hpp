// SPDX-License-Identifier: BSL-1.0
// What a session says of itself: lines that name the session and its server, and what went wrong
// with a server last.
#pragma once

#include <turnstile/diagnostics.hpp>
#include <turnstile/lease_clock.hpp>
#include <turnstile/logger.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace turnstile::detail {

/// To the user's sink, or to the standard error output as far as it takes it.
void write_log(const logger& to, log_level level, std::string_view text) noexcept;

/// Makes lines and sends them nowhere. All members but takes() are called on the strand.
class session_log {
public:
    struct line {
        log_level level;
        std::string text;
    };

    explicit session_log(const logger& to) : least_(to.level) {}

    bool takes(log_level level) const { return level >= least_ && least_ != log_level::none; }

    /// With the session and its server in front; nothing where the level is not taken. A warning
    /// that was said less than a minute ago is a matter of debugging.
    std::optional<line> say(log_level level, std::string_view text);
    /// A server has answered. Nothing where that was said of this connection before.
    std::optional<line> answered(std::int64_t session, const std::string& server,
                                 std::chrono::milliseconds timeout);
    /// An attempt or a connection ends, at this server and for this cause. Of a server that never
    /// answers each cause is named once.
    std::optional<line> failed(const diagnostics& what);
    /// A lock is lost. Of several on one path that are lost at one instant the first is reported.
    std::optional<line> lost(log_level level, const std::string& path, const std::string& reason,
                             lease_clock::time_point when);
    /// There is no session any more.
    void ended() {
        session_ = 0;
        server_.clear();
    }

    /// Nothing while a server answers. Else the last one's, and in its cause those of the other
    /// servers that failed since one answered.
    std::optional<diagnostics> trouble() const;
    /// Whose answers come now; empty where none does.
    const std::string& server() const { return server_; }

private:
    using clock = std::chrono::steady_clock;

    bool is_said_again(std::string_view text, clock::time_point now);

    const log_level least_;
    std::int64_t session_ = 0;
    std::string server_;
    std::string troubled_; // the server that failed last; empty while one answers
    std::map<std::string, std::string> causes_;          // of each that failed since one answered
    std::map<std::string, std::set<std::string>> named_; // by each that has not answered since
    std::set<std::string> lost_; // paths whose loss was reported, at this instant
    lease_clock::time_point lost_at_{};
    std::map<std::string, clock::time_point, std::less<>> warned_; // when that was said last
};

} // namespace turnstile::detail
