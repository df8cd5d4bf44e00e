// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "child_process.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace turnstile::test {

/// A program that answers a line with a line, such as those of interop/peers and bench/peers. It
/// runs, hangs up (its input is closed, and it is to end its session and itself), and is gone. Its
/// coroutines run on the executor, whose thread makes all calls.
class line_process {
public:
    using clock = std::chrono::steady_clock;

    /// Starts the program. Its standard error goes to the log. Throws std::system_error.
    line_process(const boost::asio::any_io_executor& executor, const std::vector<std::string>& argv,
                 const std::filesystem::path& log);

    /// The next line; empty at the end of its output.
    boost::asio::awaitable<std::string> line();
    /// Sends the program a line, and waits for the next line of its own.
    boost::asio::awaitable<std::string> ask(std::string_view what);

    [[nodiscard]] pid_t pid() const noexcept { return process_->pid(); }
    void kill() noexcept { process_->kill_and_wait(); }

    /// Closes the program's input. It then ends its session and itself, and its output ends.
    void hang_up() noexcept;
    [[nodiscard]] bool hung_up() const noexcept { return hung_up_.has_value(); }
    /// Kills the program if it has taken too long to end since hang_up().
    void kill_if_overdue(clock::time_point now) noexcept;

    /// Hangs up, and returns when the process is gone.
    boost::asio::awaitable<void> end();

private:
    boost::asio::posix::stream_descriptor commands_; // to its standard input
    boost::asio::posix::stream_descriptor answers_;  // from its standard output
    std::string received_;                           // what came behind the last line
    std::optional<clock::time_point> hung_up_;       // when that was
    std::optional<child_process> process_;
};

} // namespace turnstile::test
