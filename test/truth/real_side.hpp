// SPDX-License-Identifier: BSL-1.0
// A real server, as the library's own port shows it: what the machines see.
#pragma once

#include "side.hpp"

#include "zookeeper/client.hpp"

#include <boost/asio/io_context.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace turnstile::test {

/// Whether the server tells nobody without READ that a node exists, as from ZooKeeper 3.9.3 on.
bool exists_needs_read(const std::string& address);

/// All happens under one root, which the sessions take for the root of the server.
class real_side final : public side {
public:
    real_side(const std::string& address, std::string root, std::size_t sessions);
    ~real_side() override;
    real_side(const real_side&) = delete;
    real_side& operator=(const real_side&) = delete;

    void take(const step& next) override;
    std::vector<std::vector<heard>> listen() override;

private:
    class ear;

    void connect(ear& which, std::chrono::milliseconds timeout);
    void expire(ear& which);
    void give_all_but(int denied, const std::string& path);
    void flush();
    void wait(const std::function<bool()>& done);

    const std::string address_;
    const std::string root_;
    boost::asio::io_context context_;
    std::vector<std::unique_ptr<ear>> ears_;
};

} // namespace turnstile::test
