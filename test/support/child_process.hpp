// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::test {

/// A program that runs as a child of this process. The destructor kills and reaps it.
///
/// The child is killed, too, when this process dies. The kernel ties that to the *thread* that
/// created the child: create children on the main thread, or on one that outlives them. Objects are
/// not thread-safe.
class child_process {
public:
    struct options {
        std::vector<std::string> argv = {};        ///< argv[0] is searched in PATH if without '/'
        std::vector<std::string> environment = {}; ///< "NAME=value", beside that of this process
        std::filesystem::path working_folder = {}; ///< empty: that of this process
        std::filesystem::path output_file = {};    ///< stdout, stderr, appended; empty: /dev/null
        int input = -1;  ///< becomes stdin, and stays the caller's to close; -1: /dev/null
        int output = -1; ///< becomes stdout, and stays the caller's to close; -1: output_file
    };

    /// Returns once the program is running; throws std::system_error if it could not be executed.
    explicit child_process(const options& how);
    child_process(child_process&& other) noexcept;
    child_process& operator=(child_process&& other) noexcept;
    ~child_process();

    /// -1 once the child has been reaped: its number may be another process's by now.
    [[nodiscard]] pid_t pid() const noexcept { return pid_; }
    [[nodiscard]] bool running() noexcept;

    /// Does nothing if the child has ended.
    void signal(int number) noexcept;

    /// SIGKILL; returns when the process is gone and its ports are free.
    void kill_and_wait() noexcept;

    /// SIGSTOP; returns when every thread of the child stands still. Not twice without thaw(): the
    /// second call would wait for ever.
    void freeze() noexcept;
    void thaw() noexcept;

    /// Waits for the child to end by itself; false: it was still running after `limit`.
    [[nodiscard]] bool wait_for_end(std::chrono::milliseconds limit) noexcept;

    /// Exit code, or the negative number of the signal that ended it; empty while it runs.
    [[nodiscard]] std::optional<int> exit_status() noexcept;

private:
    /// waitpid() with these flags. True if the child has ended, now or before.
    bool reap(int flags) noexcept;

    pid_t pid_ = -1; // -1: it has ended
    std::optional<int> exit_status_;
};

} // namespace turnstile::test
