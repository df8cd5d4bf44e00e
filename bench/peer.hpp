// SPDX-License-Identifier: BSL-1.0
// One of the programs below bench/peers while it runs.
#pragma once

#include "etcd_server.hpp"
#include "line_watch.hpp"
#include "peer_kind.hpp"
#include "process_bytes.hpp"
#include "row.hpp"
#include "target.hpp"

#include "support/line_process.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace turnstile::bench {

/// It failed, or took too long; the text is for people. It has been ended.
struct peer_failure : std::runtime_error {
    using runtime_error::runtime_error;
};

class peer {
public:
    /// Starts it, with so many sessions where its library lets several wait over one.
    peer(const peer_kind& kind, const target& server, std::size_t sessions,
         const std::filesystem::path& folder);
    ~peer();
    peer(const peer&) = delete;
    peer& operator=(const peer&) = delete;

    const std::string& name() const { return kind_.name; }

    // Each of these is a run of its own, which may take a minute. They throw peer_failure.

    /// So many pairs and hand-offs, which nobody looks at.
    void warm_up(std::size_t rounds);
    row uncontended(std::size_t pairs);
    /// A line that is shorter than `hand_offs` is drained several times.
    row wakeup(std::size_t waiters, std::size_t hand_offs);

private:
    void begin_run();
    row new_row(const char* scenario) const;
    nlohmann::json ask(const std::string& command);
    void complete(boost::asio::awaitable<void> what);
    std::optional<process_bytes> bytes() const;
    [[noreturn]] void give_up(const std::optional<std::string>& answer);
    void check_time();
    void drain_line(std::size_t waiters, line_watch* watch, row& result);

    const peer_kind& kind_;
    const target& server_;
    const std::string path_ = "/bench/peers/" + kind_.name;
    const std::filesystem::path log_;
    std::optional<etcd_server> etcd_;
    boost::asio::io_context context_{1};
    std::optional<test::line_process> process_;
    clock::time_point start_; // of the run
    sample times_;            // of the run so far
    std::string version_;
};

} // namespace turnstile::bench
