// SPDX-License-Identifier: BSL-1.0
// One process's part of a run's history: a file of JSON lines, which turnstile-check reads.
#pragma once

#include "unique_fd.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace turnstile::test {

/// Nanoseconds of CLOCK_BOOTTIME. This clock is one for all processes of a machine, and goes on
/// while the machine is suspended.
[[nodiscard]] std::int64_t history_now() noexcept;

/// The form of sessions and zxids in histories: hexadecimal, without a prefix.
[[nodiscard]] std::string history_hex(std::int64_t value);

/// Appends lines {"t": now, "p": writer, "k": kind, fields...}.
///
/// A line is one write(2) to a file that is open for appending, and has been made when write()
/// returns. So it survives a SIGKILL of the writer, and no other line comes into its middle. Not
/// thread-safe.
class history_writer {
public:
    /// Writes to <folder>/<writer>.jsonl and makes the folder if it is missing. If `gather` is not
    /// 0, lines are kept until they have so many bytes, or until flush(): for a writer of many
    /// lines that nobody kills. Throws std::system_error.
    history_writer(const std::filesystem::path& folder, std::string writer, std::size_t gather = 0);

    /// Throws std::system_error if the line cannot be written as a whole.
    void write(std::string_view kind, const boost::json::object& fields = {});
    /// Writes a line with an instant that was taken before.
    void write_at(std::int64_t t, std::string_view kind, const boost::json::object& fields = {});
    void flush();

    [[nodiscard]] const std::string& writer() const noexcept { return writer_; }
    [[nodiscard]] const std::filesystem::path& file() const noexcept { return file_; }

private:
    std::string writer_;
    std::filesystem::path file_;
    unique_fd fd_;
    std::size_t gather_;   // bytes
    std::string gathered_; // lines that are not in the file yet
};

} // namespace turnstile::test
