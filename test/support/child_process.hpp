// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::test {

/// A program running as our child; killed and reaped by the destructor.
///
/// The child also dies (SIGKILL) when we die. The kernel ties this to the *thread* that created
/// the child, not to the process: create children on the main thread, or on one that outlives
/// them. Objects are not thread-safe.
class child_process {
public:
    struct options {
        std::vector<std::string> argv = {};        ///< argv[0] is searched in PATH if without '/'
        std::vector<std::string> environment = {}; ///< "NAME=value", on top of our own environment
        std::filesystem::path working_folder = {}; ///< empty: ours
        std::filesystem::path output_file = {};    ///< stdout, stderr, appended; empty: /dev/null
        int input = -1;  ///< becomes stdin, and stays the caller's to close; -1: /dev/null
        int output = -1; ///< becomes stdout alone, and stays the caller's to close; -1: see above
    };

    /// Returns once the program is running; throws std::system_error if it could not be executed.
    explicit child_process(const options& how);
    child_process(child_process&& other) noexcept;
    child_process& operator=(child_process&& other) noexcept;
    ~child_process();

    /// -1 once the child has been reaped, so that a reused process id is never signalled.
    [[nodiscard]] pid_t pid() const noexcept { return pid_; }
    [[nodiscard]] bool running() noexcept;

    /// Does nothing if the child has ended.
    void signal(int number) noexcept;

    /// SIGKILL; returns when the process is gone and its ports are free.
    void kill_and_wait() noexcept;

    /// SIGSTOP; returns when every thread of the child stands still.
    void freeze() noexcept;
    void thaw() noexcept;

    /// Waits for the child to end by itself; false: it was still running after `limit`.
    [[nodiscard]] bool wait_for_end(std::chrono::milliseconds limit) noexcept;

    /// Exit code, or the negative number of the signal that ended it; empty while it runs.
    [[nodiscard]] std::optional<int> exit_status() noexcept;

private:
    bool reap(int flags) noexcept;

    pid_t pid_ = -1;
    std::optional<int> exit_status_;
};

} // namespace turnstile::test
