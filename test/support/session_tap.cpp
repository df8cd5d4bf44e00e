#include "session_tap.hpp"

#include "frame_splitter.hpp"
#include "free_port.hpp"
#include "session_book.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <functional>
#include <stdexcept>
#include <thread>
#include <utility>

namespace turnstile::test {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

/// One client's connection: bytes both ways, and the first frame from the server told.
class relay : public std::enable_shared_from_this<relay> {
public:
    using listener = std::function<void(const std::string& frame)>;

    relay(tcp::socket client, listener told)
        : client_{std::move(client)}, server_{client_.get_executor()}, told_{std::move(told)} {}

    void start(std::uint16_t server_port) {
        const tcp::endpoint target{asio::ip::address_v4::loopback(), server_port};
        server_.async_connect(target, [self = shared_from_this()](const error_code& failure) {
            if (failure) {
                return;
            }
            error_code ignored;
            self->client_.set_option(tcp::no_delay{true}, ignored);
            self->server_.set_option(tcp::no_delay{true}, ignored);
            self->read(self->up_);
            self->read(self->down_);
        });
    }

private:
    struct lane {
        tcp::socket& from;
        tcp::socket& to;
        std::array<char, 16'384> buffer = {};
    };

    void read(lane& l) {
        l.from.async_read_some(
            asio::buffer(l.buffer),
            [self = shared_from_this(), &l](const error_code& failure, std::size_t size) {
                failure ? self->close() : self->pass_on(l, size);
            });
    }

    void pass_on(lane& l, std::size_t size) {
        if (&l == &down_ && told_) {
            splitter_.feed(l.buffer.data(), size);
            if (const auto frame = splitter_.next()) {
                std::exchange(told_, nullptr)(*frame);
            }
        }
        asio::async_write(l.to, asio::buffer(l.buffer.data(), size),
                          [self = shared_from_this(), &l](const error_code& failure, std::size_t) {
                              failure ? self->close() : self->read(l);
                          });
    }

    void close() {
        error_code ignored;
        client_.close(ignored);
        server_.close(ignored);
    }

    tcp::socket client_;
    tcp::socket server_;
    lane up_{client_, server_};
    lane down_{server_, client_};
    frame_splitter splitter_;
    listener told_;
};

} // namespace

class session_tap::impl {
public:
    explicit impl(std::uint16_t server_port) : server_port_{server_port} {
        accept();
        thread_ = std::thread{[this] { io_.run(); }};
    }
    impl(const impl&) = delete;
    impl& operator=(const impl&) = delete;
    ~impl() {
        io_.stop();
        thread_.join();
    }

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

    session_credentials find(std::int64_t id) const {
        const auto found = seen_.find(id);
        if (!found) {
            throw std::out_of_range{"session_tap has not seen session " + std::to_string(id)};
        }
        return *found;
    }

private:
    void accept() {
        acceptor_.async_accept([this](const error_code& failure, tcp::socket socket) {
            if (failure) {
                return;
            }
            std::make_shared<relay>(std::move(socket), [this](const std::string& frame) {
                seen_.note(frame);
            })->start(server_port_);
            accept();
        });
    }

    session_book seen_; // before io_, whose handlers use it
    asio::io_context io_;
    const std::uint16_t port_ = free_port();
    const std::uint16_t server_port_;
    tcp::acceptor acceptor_{io_, tcp::endpoint{asio::ip::address_v4::loopback(), port_}};
    std::thread thread_;
};

session_tap::session_tap(std::uint16_t server_port) : impl_{std::make_unique<impl>(server_port)} {}

session_tap::~session_tap() = default;

std::uint16_t session_tap::port() const noexcept { return impl_->port(); }

std::string session_tap::address() const { return "127.0.0.1:" + std::to_string(port()); }

session_credentials session_tap::credentials(std::int64_t id) const { return impl_->find(id); }

} // namespace turnstile::test
