// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace turnstile::test {

/// A TCP proxy that knows nothing of what it passes on, for bytes that are encrypted: after some
/// bytes from the server a connection stands still or is cut. Works on the test's context.
class byte_proxy {
public:
    enum class harm { none, stall, cut };

    byte_proxy(boost::asio::io_context& context, std::uint16_t server_port);
    ~byte_proxy();
    byte_proxy(const byte_proxy&) = delete;
    byte_proxy& operator=(const byte_proxy&) = delete;

    /// Each connection from now on.
    void do_harm(harm what, std::size_t after_bytes = 0);
    /// The connections that there are, with a reset.
    void cut_all();
    [[nodiscard]] std::string address() const;
    [[nodiscard]] std::size_t connections() const { return count_; }
    /// Connections to which harm was done.
    [[nodiscard]] std::size_t harmed() const { return *harmed_; }

private:
    struct link;
    void accept();

    boost::asio::ip::tcp::acceptor acceptor_;
    std::uint16_t server_port_;
    std::size_t count_ = 0;
    harm harm_ = harm::none;
    std::size_t after_ = 0;
    std::shared_ptr<std::size_t> harmed_ = std::make_shared<std::size_t>(0);
    std::vector<std::weak_ptr<link>> links_;
};

} // namespace turnstile::test
