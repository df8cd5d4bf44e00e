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

/// A TCP proxy for encrypted bytes, of which it knows nothing. (frame_proxy understands frames.)
/// After so many bytes from the server it has a connection stand still, or cuts it. A test owns it,
/// and it works on the test's context: all calls come from that context's thread.
class byte_proxy {
public:
    enum class harm {
        none,
        stall, ///< nothing more comes from the server; the connection stays open
        cut    ///< the client's connection is reset
    };

    byte_proxy(boost::asio::io_context& context, std::uint16_t server_port);
    ~byte_proxy();
    byte_proxy(const byte_proxy&) = delete;
    byte_proxy& operator=(const byte_proxy&) = delete;

    /// Does so to each later connection, once that many bytes have passed from the server.
    void do_harm(harm what, std::size_t after_bytes = 0);
    /// Resets all open connections.
    void cut_all();
    [[nodiscard]] std::string address() const;
    /// How many connections there have been.
    [[nodiscard]] std::size_t connections() const { return count_; }
    /// To how many of them harm was done.
    [[nodiscard]] std::size_t harmed() const { return *harmed_; }

private:
    struct link;
    void accept();

    boost::asio::ip::tcp::acceptor acceptor_;
    std::uint16_t server_port_;
    std::size_t count_ = 0;
    harm harm_ = harm::none;
    std::size_t harm_after_ = 0; // bytes from the server
    // Shared with the links, which may outlive this object.
    std::shared_ptr<std::size_t> harmed_ = std::make_shared<std::size_t>(0);
    std::vector<std::weak_ptr<link>> links_;
};

} // namespace turnstile::test
