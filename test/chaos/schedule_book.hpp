// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "fault_kinds.hpp"

#include "support/history_writer.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

namespace turnstile::chaos {

struct run_options;

/// Writes what the schedule did into the history, and counts it. Most functions write a line of
/// their own name, which turnstile-check reads. run_chaos() owns it. Thread-safe: each lane of the
/// schedule writes to it from its own thread.
class schedule_book {
public:
    explicit schedule_book(const std::filesystem::path& folder) : writer_{folder, "schedule"} {}

    /// The options of the run: the first line.
    void settings(const run_options& how);
    void fault(const std::string& what, const std::string& target,
               std::chrono::duration<double> duration);
    /// A line "fault".
    void connection_fault(const std::string& what, const std::string& target,
                          std::chrono::duration<double> duration);
    void pause(const std::string& target, std::chrono::nanoseconds duration);
    void resume(const std::string& target);
    void kill(const std::string& target);
    void crash_leader(const std::string& target); ///< a line "kill"
    void harm(const std::string& server);         ///< from now on it may not serve
    void whole();                                 ///< all servers serve again
    /// A deletion was asked for at `since`, and was carried out by now, as far as is known.
    void deleted(const std::string& path, const std::string& how, std::int64_t since);
    /// A line "fault": the end of a session was asked for at `since`, and has come by now, as far
    /// as is known.
    void session_ended(std::int64_t session, std::int64_t since);
    void remark(const std::string& text);  ///< for readers of the history, and on standard error
    void failure(const std::string& text); ///< why the run proves nothing
    void heal();                           ///< all faults are over
    /// All workers have ended; so many contenders were not served after the last fault.
    void served(std::size_t not_served);
    /// The tickets and permits that are left under a lock at the end.
    void left(const std::string& lock, const std::vector<std::string>& children);
    /// The value and the version of a guarded lock's counter at the end.
    void counter(const std::string& lock, const std::string& value, std::int32_t version);
    /// Whose ticket is the first one of an election at the end.
    void leads(const std::string& lock, std::int64_t czxid, std::int64_t session);
    void counters(std::uint64_t events); ///< notifications that the servers sent
    void end();                          ///< the last line

    /// Counts a pause or a kill, and writes nothing.
    void process_fault();
    /// Counts a fault that has really happened, and writes nothing.
    void happened(fault_kind kind, std::size_t times = 1);

    [[nodiscard]] std::size_t faults() const { return faults_; }
    [[nodiscard]] std::size_t connection_faults() const { return connection_faults_; }
    [[nodiscard]] std::size_t leader_crashes() const { return leader_crashes_; }
    [[nodiscard]] std::size_t process_faults() const { return process_faults_; }
    [[nodiscard]] std::size_t count(fault_kind kind) const;
    [[nodiscard]] fault_tally tally() const;

private:
    void write(const char* kind, boost::json::object fields);

    mutable std::mutex mutex_;
    test::history_writer writer_;
    std::atomic<std::size_t> faults_ = 0; ///< all faults, also those of the next three counts
    std::atomic<std::size_t> connection_faults_ = 0;
    std::atomic<std::size_t> leader_crashes_ = 0;
    std::atomic<std::size_t> process_faults_ = 0;
    fault_tally tally_{};
};

} // namespace turnstile::chaos
