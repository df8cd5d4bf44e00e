// SPDX-License-Identifier: BSL-1.0
// Looks up the addresses of one name, in a thread of its own.
#pragma once

#include "zookeeper/session_strand.hpp"

#include <boost/asio/ip/address.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace turnstile::zookeeper {

/// getaddrinfo cannot be ended, and may take half a minute. Asio's resolver would run the names of
/// a context one after the other, and its end would wait for them. Here each name has a thread
/// while it is looked up, which owns all that it touches; nothing waits for that thread.
class name_lookup : public std::enable_shared_from_this<name_lookup> {
public:
    explicit name_lookup(std::string name) : name_(std::move(name)) {}

    /// Starts one, unless one is under way. Its end posts `told` to the strand: of those that were
    /// handed over since, the last one.
    void start(const session_strand& on, std::function<void()> told = {});
    /// Nobody is told any more. Nothing touches the strand after this.
    void forget() noexcept;

    bool is_under_way() const;
    /// What the last one that found any has found.
    std::vector<boost::asio::ip::address> addresses() const;
    /// Why the last one found none; empty where it did.
    std::string trouble() const;

private:
    struct listener {
        session_strand on;
        std::function<void()> told;
    };

    void run() noexcept;
    void end(std::vector<boost::asio::ip::address> found, std::string trouble);

    const std::string name_;
    mutable std::mutex mutex_;
    bool under_way_ = false;
    std::vector<boost::asio::ip::address> addresses_;
    std::string trouble_;
    std::optional<listener> listener_;
};

} // namespace turnstile::zookeeper
