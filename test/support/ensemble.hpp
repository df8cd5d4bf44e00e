// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "zookeeper_server.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace turnstile::test {

/// A quorum of real ZooKeeper servers, on loopback ports unless told otherwise.
///
/// Create it on the main thread (see child_process). Not thread-safe.
class ensemble {
public:
    /// Where a member lives, if not on loopback.
    struct place {
        std::vector<std::string> argv_prefix = {};
        std::string client_host = "127.0.0.1"; ///< where clients reach it
        std::string peer_host = "127.0.0.1";   ///< where the other members reach it
        std::filesystem::path data_folder = {};
    };

    struct options {
        std::size_t size = 3;
        zookeeper_server_options server = {}; ///< for each of them
        int init_limit_ticks = 50;
        int sync_limit_ticks = 10;      ///< a silent member is given up after this time
        std::vector<place> places = {}; ///< of as many members as it names
        bool changes = false; ///< members can be removed, by anybody, and tell their client ports
        /// In which a member differs from the others; `last` is the number of the last of them.
        std::function<void(std::size_t member, std::size_t last, zookeeper_server_options&)> each =
            {};
    };

    ensemble() : ensemble{options{}} {}
    /// Starts all members and waits until they serve.
    explicit ensemble(const options& how);

    [[nodiscard]] std::size_t size() const noexcept { return servers_.size(); }
    [[nodiscard]] zookeeper_server& server(std::size_t i) { return *servers_.at(i); }
    [[nodiscard]] const zookeeper_server& server(std::size_t i) const { return *servers_.at(i); }
    [[nodiscard]] std::vector<std::string> addresses() const;
    [[nodiscard]] std::string connect_string() const; ///< addresses joined by commas

    /// Index of the member that leads. Waits for an election under way.
    [[nodiscard]] std::size_t leader();
    [[nodiscard]] std::vector<std::size_t> followers();

    /// Waits until there is one leader and every member that is neither killed nor paused serves.
    /// Throws std::runtime_error with the log ends after `limit`.
    void wait_until_serving(std::chrono::seconds limit = std::chrono::seconds{30});

    void kill(std::size_t i) noexcept { servers_[i]->kill(); }
    /// Does not wait: without a majority no member serves. See wait_until_serving().
    void start(std::size_t i) { servers_.at(i)->launch(); }
    void pause(std::size_t i) noexcept { servers_[i]->pause(); }
    void resume(std::size_t i) noexcept { servers_[i]->resume(); }

private:
    [[nodiscard]] std::vector<std::string> modes();

    std::vector<std::unique_ptr<zookeeper_server>> servers_;
};

} // namespace turnstile::test
