// SPDX-License-Identifier: BSL-1.0
// The command, run against the server of this process.
#pragma once

#include "support/child_process.hpp"
#include "support/temp_folder.hpp"
#include "support/zookeeper_server.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

namespace turnstile::test {

/// Started at the first call; its tick is 200 ms.
zookeeper_server& shared_server();

/// "/locks/<name>-N", new at each call.
std::string fresh_path(std::string_view name);

/// Waits until the condition holds, or fails the test.
void await(const std::function<bool()>& condition,
           std::chrono::milliseconds limit = std::chrono::seconds{40},
           std::source_location where = std::source_location::current());

/// The names of the tickets under a lock path, in order.
std::vector<std::string> tickets(const std::string& path);
/// As a foreign client would.
void delete_tickets(const std::string& path);

/// Whether the process is there, and is no zombie.
bool is_alive(pid_t process);

/// One run of the command. Its output goes to files.
class tool {
public:
    struct options {
        std::string servers = {};   ///< empty: the shared server
        std::string errors_to = {}; ///< the standard error; a terminal, say
        int input = -1;             ///< a terminal, which then becomes the controlling one
        int pipe = -1;              ///< another standard input, such as the end of a pipe
        std::vector<std::string> before = {}; ///< a program that runs the command
    };

    explicit tool(const std::vector<std::string>& arguments) : tool(arguments, {}) {}
    tool(const std::vector<std::string>& arguments, options how);

    /// Waits for the end. As a shell tells it: 128 and the number of the signal that ended it.
    int exit_code(std::source_location where = std::source_location::current());
    std::string output() const; ///< the standard output so far
    std::string said() const;   ///< the standard error so far
    bool says(std::string_view text) const;
    /// Waits for a number in a line that begins so in the standard output.
    int number_after(std::string_view begin,
                     std::source_location where = std::source_location::current());

    child_process& process() { return *process_; }
    /// By SIGTERM, which its program heeds.
    void end(std::source_location where = std::source_location::current());

private:
    temp_folder folder_{"turnstile-command-"};
    std::optional<child_process> process_;
};

/// For tool::options::before: names of preload/slow_names.cpp.
std::vector<std::string> with_slow_names();

/// The same: epoll watches no more while that file is there, by preload/no_watches.cpp.
std::vector<std::string> without_watches(const std::string& while_there);

/// The same: no child ends by _exit() while that file is there, by preload/no_ends.cpp.
std::vector<std::string> without_ends(const std::string& while_there);

/// The same: a sandbox that refuses these system calls, by host/refusing.cpp.
std::vector<std::string> refusing(std::vector<std::string> calls);

/// `turnstile run` with options that suit a test, and `sh -c SCRIPT` as its program.
std::vector<std::string> run_script(const std::string& path, const std::string& script,
                                    std::vector<std::string> options = {});

/// Holds a lock, by a program that only waits, from its making on.
struct lock_holder : tool {
    explicit lock_holder(const std::string& path, std::vector<std::string> options = {});
    pid_t program; ///< which waits
};

} // namespace turnstile::test
