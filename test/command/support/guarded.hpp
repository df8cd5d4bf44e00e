// SPDX-License-Identifier: BSL-1.0
// A host guard, and programs whose sessions it knows.
#pragma once

#include "command/support/tool.hpp"
#include "support/child_process.hpp"
#include "support/temp_folder.hpp"
#include "support/unique_fd.hpp"

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

namespace turnstile::test {

/// Far beyond what a hand-over takes, and far below the timeout of the sessions.
constexpr std::chrono::seconds at_once{10};
constexpr int long_timeout_ms = 30'000;

/// Of the only ticket there.
std::int64_t session_of(const std::string& path);

/// Without those of its threads.
std::vector<pid_t> children_of(pid_t process);

/// A folder for a guard's socket.
class guard_place {
public:
    std::string socket() const { return (folder_.path() / "guard.sock").string(); }

private:
    temp_folder folder_{"turnstile-guard-"};
};

/// `turnstile guard`, which takes registrations when this is made.
class running_guard : public tool {
public:
    explicit running_guard(const guard_place& place, std::vector<std::string> more = {},
                           tool::options how = {});
    /// Lets frozen ones go on: they end when this one does.
    ~running_guard() { thaw_users(); }
    /// Waits until it has said that.
    void await_word(std::string_view text,
                    std::source_location where = std::source_location::current());
    /// Those that guard a user's sessions.
    std::vector<pid_t> users();
    /// Waits until there is one alone.
    pid_t user(std::source_location where = std::source_location::current());
    /// All of them.
    void freeze();
    void thaw();

private:
    void thaw_users();

    std::vector<pid_t> frozen_; // users
};

/// One that runs as an ordinary user, since root has no limits. For root alone.
class user_guard : public running_guard {
public:
    static constexpr uid_t id = 65'533;

    /// The limit: a line of sh before it, as "ulimit -n 200".
    explicit user_guard(const guard_place& place, const std::string& limit = ":");
};

/// A process that takes a lock, with guard/holder.cpp.
class guarded_holder {
public:
    struct options {
        std::string servers = {}; ///< empty: the shared server
        int timeout_ms = long_timeout_ms;
        std::vector<std::string> before = {}; ///< a program that runs it
        std::vector<std::string> tls = {};    ///< authority, certificate and key
    };

    guarded_holder(const guard_place& place, const std::string& path)
        : guarded_holder(place, path, options()) {}
    guarded_holder(const guard_place& place, const std::string& path, options how);

    /// Waits until it has said that so often.
    void await_word(std::string_view text, int times = 1,
                    std::source_location where = std::source_location::current());
    /// The same, and the time is too short for a session to end by itself.
    void await_at_once(std::string_view text, int times = 1,
                       std::source_location where = std::source_location::current());
    int count(std::string_view text) const; ///< how often it has said that
    void await_registered() { await_word("registered with the guard"); }
    int number_after(std::string_view begin,
                     std::source_location where = std::source_location::current());
    void order(std::string_view line);
    std::string said() const;

    child_process& process() { return *process_; }

private:
    temp_folder folder_{"turnstile-holder-"};
    unique_fd orders_;
    std::optional<child_process> process_;
};

/// The next one has its lock at once when this one is killed.
void check_hand_over(guarded_holder& dying, const std::string& path);

} // namespace turnstile::test
