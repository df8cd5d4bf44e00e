// SPDX-License-Identifier: BSL-1.0
#include "tls_front.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <memory>
#include <utility>

namespace turnstile::test {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

/// One connection. It lives in its handlers.
class tls_front::link : public std::enable_shared_from_this<link> {
public:
    link(tcp::socket client, asio::ssl::context& tls)
        : client_(std::move(client), tls), server_(client_.get_executor()) {}

    void start(std::uint16_t port) {
        server_.async_connect({asio::ip::address_v4::loopback(), port},
                              [self = shared_from_this()](const error_code& refused) {
                                  if (refused)
                                      return self->end();
                                  self->client_.async_handshake(
                                      asio::ssl::stream_base::server,
                                      [self](const error_code& failed) {
                                          if (failed)
                                              return self->end();
                                          self->pass(self->client_, self->server_, self->up_);
                                          self->pass(self->server_, self->client_, self->down_);
                                      });
                              });
    }

private:
    using bytes = std::array<char, 16 * 1024>;

    /// Passes one direction on, by that buffer.
    template <class From, class To>
    void pass(From& from, To& to, bytes& by) {
        from.async_read_some(asio::buffer(by), [self = shared_from_this(), &from, &to,
                                                &by](const error_code& over, std::size_t count) {
            if (over)
                return self->end();
            asio::async_write(to, asio::buffer(by, count),
                              [self, &from, &to, &by](const error_code& gone, std::size_t) {
                                  gone ? self->end() : self->pass(from, to, by);
                              });
        });
    }
    void end() {
        error_code ignored;
        client_.next_layer().close(ignored);
        server_.close(ignored);
    }

    asio::ssl::stream<tcp::socket> client_;
    tcp::socket server_;
    bytes up_{};
    bytes down_{};
};

tls_front::tls_front(std::uint16_t port_behind, const certificates& all)
    : acceptor_(context_, {asio::ip::address_v4::loopback(), 0}), port_behind_(port_behind) {
    tls_.use_certificate_chain_file(all.file("server"));
    tls_.use_private_key_file(all.file("server", ".key"), asio::ssl::context::pem);
    accept();
    thread_ = std::thread([this] { context_.run(); });
}

tls_front::~tls_front() {
    context_.stop();
    thread_.join();
}

std::string tls_front::address() const {
    return "127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
}

void tls_front::accept() {
    acceptor_.async_accept([this](const error_code& failed, tcp::socket client) {
        if (!failed) {
            client.set_option(tcp::no_delay(true));
            std::make_shared<link>(std::move(client), tls_)->start(port_behind_);
        }
        accept();
    });
}

} // namespace turnstile::test
