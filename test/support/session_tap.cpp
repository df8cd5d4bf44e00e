#include "session_tap.hpp"

#include "frame_decoder.hpp"
#include "frame_splitter.hpp"
#include "free_port.hpp"
#include "session_book.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <functional>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace turnstile::test {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

/// One client's connection: bytes both ways, and every frame told.
class relay : public std::enable_shared_from_this<relay> {
public:
    using listener = std::function<void(direction where, const frame& what)>;

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
        direction where;
        tcp::socket& from;
        tcp::socket& to;
        std::array<char, 16'384> buffer = {};
        frame_splitter splitter = {};
    };

    void read(lane& l) {
        l.from.async_read_some(
            asio::buffer(l.buffer),
            [self = shared_from_this(), &l](const error_code& failure, std::size_t size) {
                failure ? self->close() : self->pass_on(l, size);
            });
    }

    void pass_on(lane& l, std::size_t size) {
        l.splitter.feed(l.buffer.data(), size);
        while (auto bytes = l.splitter.next()) {
            told_(l.where, decoder_.decode(l.where, std::move(*bytes)));
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
    lane up_{direction::to_server, client_, server_};
    lane down_{direction::to_client, server_, client_};
    frame_decoder decoder_;
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

    std::vector<session_credentials> sessions() const { return seen_.newest(most_sessions); }

    std::vector<std::string> identities() const {
        const std::lock_guard lock{mutex_};
        return identities_;
    }

private:
    static constexpr auto most_sessions = std::numeric_limits<std::size_t>::max();

    void accept() {
        acceptor_.async_accept([this](const error_code& failure, tcp::socket socket) {
            if (failure) {
                return;
            }
            std::make_shared<relay>(std::move(socket), [this](direction where, const frame& what) {
                note(where, what);
            })->start(server_port_);
            accept();
        });
    }

    void note(direction where, const frame& what) {
        if (where == direction::to_client && what.op == op::connect) {
            seen_.note(what.bytes);
        } else if (where == direction::to_server && what.op == op::auth) {
            const std::lock_guard lock{mutex_};
            identities_.push_back(what.identity);
        }
    }

    session_book seen_; // before io_, whose handlers use it
    mutable std::mutex mutex_;
    std::vector<std::string> identities_;
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

std::vector<session_credentials> session_tap::sessions() const { return impl_->sessions(); }

std::vector<std::string> session_tap::identities() const { return impl_->identities(); }

} // namespace turnstile::test
