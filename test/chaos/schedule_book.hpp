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

/// What the schedule did, into the history, and counted. Thread-safe: each lane writes to it.
class schedule_book {
public:
    explicit schedule_book(const std::filesystem::path& folder) : writer_{folder, "schedule"} {}

    void settings(const run_options& how);
    void fault(const std::string& what, const std::string& target,
               std::chrono::duration<double> duration);
    void connection_fault(const std::string& what, const std::string& target,
                          std::chrono::duration<double> duration);
    void pause(const std::string& target, std::chrono::nanoseconds duration);
    void resume(const std::string& target);
    void kill(const std::string& target);
    void crash_leader(const std::string& target);
    void harm(const std::string& server); ///< from here on it may not serve
    void whole();                         ///< all servers serve again
    /// Asked for at that instant, and carried out by now, as far as is known.
    void deleted(const std::string& path, const std::string& how, std::int64_t since);
    /// The same of a session.
    void session_ended(std::int64_t session, std::int64_t since);
    void remark(const std::string& text);  ///< for readers of the history, and on standard error
    void failure(const std::string& text); ///< the run proves nothing, and why
    void heal();
    void served(std::size_t outstanding);
    void left(const std::string& lock, const std::vector<std::string>& children);
    /// Of a guarded one: what stands in its counter at the end.
    void counter(const std::string& lock, const std::string& value, std::int32_t version);
    /// Of an election: whose ticket is the first at the end.
    void leads(const std::string& lock, std::int64_t czxid, std::int64_t session);
    void counters(std::uint64_t events); ///< notifications that the servers sent
    void end();

    void process_fault();
    void happened(fault_kind kind, std::size_t times = 1); ///< and not only tried

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
    std::atomic<std::size_t> faults_ = 0; ///< all of them
    std::atomic<std::size_t> connection_faults_ = 0;
    std::atomic<std::size_t> leader_crashes_ = 0;
    std::atomic<std::size_t> process_faults_ = 0;
    fault_tally tally_{};
};

} // namespace turnstile::chaos
