// SPDX-License-Identifier: BSL-1.0
#include "byte_proxy.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace turnstile::test {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;
using boost::system::error_code;

/// One connection: two sockets. It lives in its handlers.
struct byte_proxy::link : std::enable_shared_from_this<link> {
    using bytes = std::array<char, 16 * 1024>;

    link(tcp::socket the_client, harm the_harm, std::size_t after,
         std::shared_ptr<std::size_t> the_count)
        : client(std::move(the_client)),
          server(client.get_executor()),
          harm_to_do(the_harm),
          bytes_before(after),
          harmed(std::move(the_count)) {}

    void start(std::uint16_t port) {
        server.async_connect({asio::ip::address_v4::loopback(), port},
                             [self = shared_from_this()](const error_code& failed) {
                                 if (failed)
                                     return self->close();
                                 self->pass(self->client, self->server, self->up, false);
                                 self->pass(self->server, self->client, self->down, true);
                             });
    }
    /// Passes one direction on, by that buffer. Only the bytes of the server are counted.
    void pass(tcp::socket& from, tcp::socket& to, bytes& by, bool counted) {
        from.async_read_some(
            asio::buffer(by), [self = shared_from_this(), &from, &to, &by,
                               counted](const error_code& failed, std::size_t size) {
                if (failed)
                    return self->close();
                if (counted && self->harm_to_do != harm::none) {
                    const auto passed = std::min(size, self->bytes_before);
                    self->bytes_before -= passed;
                    if (passed < size) {
                        ++*self->harmed;
                        if (self->harm_to_do == harm::cut)
                            self->reset();
                        return; // this direction is read no more
                    }
                }
                asio::async_write(
                    to, asio::buffer(by, size),
                    [self, &from, &to, &by, counted](const error_code& gone, std::size_t) {
                        gone ? self->close() : self->pass(from, to, by, counted);
                    });
            });
    }
    void close() {
        error_code ignored;
        client.close(ignored);
        server.close(ignored);
    }
    void reset() {
        error_code ignored;
        client.set_option(asio::socket_base::linger(true, 0), ignored);
        close();
    }

    tcp::socket client;
    tcp::socket server;
    bytes up{};
    bytes down{};
    harm harm_to_do;
    std::size_t bytes_before; // that still pass from the server before the harm
    std::shared_ptr<std::size_t> harmed;
};

byte_proxy::byte_proxy(asio::io_context& context, std::uint16_t server_port)
    : acceptor_(context, {asio::ip::address_v4::loopback(), 0}), server_port_(server_port) {
    accept();
}

byte_proxy::~byte_proxy() { cut_all(); }

void byte_proxy::do_harm(harm what, std::size_t after_bytes) {
    harm_ = what;
    harm_after_ = after_bytes;
}

void byte_proxy::cut_all() {
    for (const auto& each : std::exchange(links_, {}))
        if (const auto open = each.lock())
            open->reset();
}

std::string byte_proxy::address() const {
    return "127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
}

void byte_proxy::accept() {
    acceptor_.async_accept([this](const error_code& failed, tcp::socket client) {
        if (failed)
            return;
        ++count_;
        const auto made = std::make_shared<link>(std::move(client), harm_, harm_after_, harmed_);
        links_.push_back(made);
        made->start(server_port_);
        accept();
    });
}

} // namespace turnstile::test
