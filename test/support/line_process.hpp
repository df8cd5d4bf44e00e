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

/// A program that answers a line with a line, such as those of interop/peers and bench/peers.
class line_process {
public:
    using clock = std::chrono::steady_clock;

    /// Starts it; what it writes for people goes to the log. Throws std::system_error.
    line_process(const boost::asio::any_io_executor& executor, const std::vector<std::string>& argv,
                 const std::filesystem::path& log);

    /// The next line; empty at the end of its output.
    boost::asio::awaitable<std::string> line();
    /// Says a line to it, and waits for the next one of its own.
    boost::asio::awaitable<std::string> ask(std::string_view what);

    [[nodiscard]] pid_t pid() const noexcept { return process_->pid(); }
    void kill() noexcept { process_->kill_and_wait(); }

    /// Closes its input, upon which it ends its session and itself; its output then ends.
    void hang_up() noexcept;
    [[nodiscard]] bool hung_up() const noexcept { return hung_up_.has_value(); }
    /// Kills it, if it hung up too long ago to be still ending.
    void kill_if_overdue(clock::time_point now) noexcept;

    /// Hangs up, and returns when the process is gone.
    boost::asio::awaitable<void> end();

private:
    boost::asio::posix::stream_descriptor commands_;
    boost::asio::posix::stream_descriptor answers_;
    std::string received_;
    std::optional<clock::time_point> hung_up_;
    std::optional<child_process> process_;
};

} // namespace turnstile::test
