// SPDX-License-Identifier: BSL-1.0
// The log lines of a session, and why its servers failed last.
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

/// Calls the user's sink, or writes to the standard error output if that does not block.
void write_log(const logger& to, log_level level, std::string_view text) noexcept;

/// The chroot of a server list and a colon, such as "/shop: ", to begin the message that it is
/// missing. Empty if the list has no chroot: a faulty server may say so even then.
std::string chroot_of(const std::string& servers);

/// Makes lines that name the session and its server. It also decides which of them are repetitions:
/// these are left out or become debug lines. session_reports owns it, and gives the lines to the
/// user's sink. All members but takes() are called on the session's strand.
class session_log {
public:
    struct line {
        log_level level;
        std::string text;
    };

    explicit session_log(const logger& to) : least_(to.level) {}

    bool takes(log_level level) const { return level >= least_ && least_ != log_level::none; }

    /// Puts the session and its server before the text. Returns nothing if the level is not logged.
    /// A warning that was logged less than a minute ago becomes a debug line.
    std::optional<line> say(log_level level, std::string_view text);
    /// A server has answered. Returns nothing if it answered on this connection before.
    std::optional<line> answered(std::int64_t session, const std::string& server,
                                 std::chrono::milliseconds timeout);
    /// An attempt or a connection ends, at the server and for the cause that `what` names. Until
    /// this server answers, each cause of failed attempts is a warning only once.
    std::optional<line> failed(const diagnostics& what);
    /// A lock is lost. If several on one path are lost at one instant, only the first is logged.
    std::optional<line> lost(log_level level, const std::string& path, const std::string& reason,
                             lease_clock::time_point when);
    /// There is no session any more.
    void ended() {
        session_ = 0;
        server_.clear();
    }

    /// The server that failed last, its cause, and the causes of the other servers that failed
    /// since a server answered. Nothing while a server answers.
    std::optional<diagnostics> trouble() const;
    /// The server that answers now; empty if none does.
    const std::string& server() const { return server_; }

private:
    using clock = std::chrono::steady_clock;

    /// Whether this warning was logged less than a minute ago. Else notes that it is logged now.
    bool is_said_again(std::string_view text, clock::time_point now);

    const log_level least_;
    std::int64_t session_ = 0; // 0: there is no session
    std::string server_;       // the server that answers; empty if none does
    std::string troubled_;     // the server that failed last; empty while one answers
    std::map<std::string, std::string> causes_;          // by server: its last, since one answered
    std::map<std::string, std::set<std::string>> named_; // by server: causes that were logged
    std::set<std::string> lost_paths_;                   // of the locks that were lost at lost_at_
    lease_clock::time_point lost_at_{};
    std::map<std::string, clock::time_point, std::less<>> warned_; // when each warning was logged
};

} // namespace turnstile::detail
