// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "certificates.hpp"
#include "child_process.hpp"
#include "temp_folder.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::test {

/// The options of one server, as fields of zoo.cfg, of the command line and of the process.
struct zookeeper_server_options {
    int tick_ms = 200;
    std::optional<int> min_session_timeout_ms = {};  ///< default of the server: 2 ticks
    std::optional<int> max_session_timeout_ms = {};  ///< default of the server: 20 ticks
    std::optional<int> container_check_ms = {};      ///< default of the server: 60000
    std::vector<std::string> config_lines = {};      ///< appended to zoo.cfg
    std::vector<std::string> system_properties = {}; ///< "name=value", passed as -Dname=value
    std::string heap = "256m";
    std::string log_level = "warn";
    bool quick_jvm = true;   ///< serial GC and C1 only: starts fast, runs slow; off for benchmarks
    bool force_sync = false; ///< fsync the transaction log before each answer
    std::chrono::seconds start_limit{30}; ///< it serves by then

    std::vector<std::string> argv_prefix = {}; ///< `ip netns exec NAME`, say; must end in an exec
    std::string host = "127.0.0.1";            ///< numeric; where clients reach it
    /// Stays at the end, with a log of the same name beside it. Empty: a temporary folder.
    std::filesystem::path data_folder = {};

    std::uint16_t port = 0;                       ///< 0: a free one
    std::uint16_t secure_port = 0;                ///< with TLS, see make_secure()
    int server_id = 0;                            ///< of a member, see ensemble.hpp; 0: alone
    std::vector<std::string> ensemble_lines = {}; ///< its server.N lines and limits
};

/// Adds a TLS port, on which the server shows that certificate, and asks for one as
/// `ssl.clientAuth` says: none, want or need. The plain port stays.
void make_secure(zookeeper_server_options& server, const certificates& all,
                 const std::string& client_auth = "none",
                 const std::string& certificate = "server");

/// A real ZooKeeper server for a test, by default on a loopback port and with its data in a
/// temporary folder. It is launched, serves, may be paused, and is killed or stopped; then it can
/// be started again. A test owns it, or an ensemble.
///
/// Create it on the main thread (see child_process). Not thread-safe.
class zookeeper_server {
public:
    /// Starts the server and waits until it serves.
    explicit zookeeper_server(zookeeper_server_options how = {});

    struct not_started_t {};
    static constexpr not_started_t not_started{};
    /// Only writes its configuration.
    zookeeper_server(zookeeper_server_options how, not_started_t);

    [[nodiscard]] std::uint16_t port() const noexcept { return options_.port; }
    [[nodiscard]] std::string address() const; ///< "127.0.0.1:PORT"
    /// Of its TLS port.
    [[nodiscard]] std::string secure_address() const;
    [[nodiscard]] std::uint16_t secure_port() const noexcept { return options_.secure_port; }
    [[nodiscard]] const std::string& host() const noexcept { return options_.host; }

    /// Kills it (SIGKILL). Its data stay, and the ensemble keeps its sessions.
    void kill() noexcept;
    /// Ends it in order (SIGTERM), or kills it after five seconds.
    void stop() noexcept;
    /// Starts it again on the same port and data and waits until it serves.
    void start();

    /// The first half of start(): the members of an ensemble serve only when a majority is
    /// launched.
    void launch();
    /// The second half. Throws std::runtime_error with the log's end if the server exits, or does
    /// not serve in time.
    void wait_until_serving();

    /// Has the whole process stand still. Connections stay open, and the kernel accepts new ones.
    void pause() noexcept;
    void resume() noexcept;

    /// -1 if it does not run.
    [[nodiscard]] pid_t pid() const noexcept { return process_ ? process_->pid() : -1; }
    [[nodiscard]] bool running() noexcept { return process_ && process_->running(); }
    [[nodiscard]] bool paused() const noexcept { return paused_; }
    /// Whether it was launched, and neither killed nor stopped since. After a crash it is launched,
    /// and not running().
    [[nodiscard]] bool launched() const noexcept { return process_.has_value(); }

    /// "standalone", "leader", "follower"; empty if it does not serve.
    [[nodiscard]] std::string mode(std::chrono::milliseconds limit = std::chrono::seconds{1}) const;
    [[nodiscard]] std::string log_tail(std::size_t bytes = 4000) const;
    [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_.path(); }

private:
    void write_configuration() const;
    [[nodiscard]] std::vector<std::string> command_line() const;
    [[nodiscard]] std::filesystem::path data_folder() const;
    [[nodiscard]] std::filesystem::path log_file() const;

    zookeeper_server_options options_;
    temp_folder folder_;
    std::optional<child_process> process_; // after folder_: ends before its files go
    bool paused_ = false;
};

} // namespace turnstile::test
