// SPDX-License-Identifier: BSL-1.0
#include "fenced_store.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <exception>
#include <list>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

namespace turnstile::test {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr std::size_t longest_request = 4096;

tcp::endpoint loopback(std::uint16_t port) { return {asio::ip::address_v4::loopback(), port}; }

// How coroutines of the store end. A history that cannot be written ends the whole run.
void rethrow(std::exception_ptr error) {
    if (error)
        std::rethrow_exception(error);
}

} // namespace

/// The store itself. Its coroutines keep it until stop() has ended them.
struct fenced_store::state : std::enable_shared_from_this<fenced_store::state> {
    state(asio::any_io_executor executor, history_writer& out)
        : acceptor{std::move(executor), loopback(0)},
          port{acceptor.local_endpoint().port()},
          history{&out} {}

    asio::awaitable<void> listen() {
        const auto self = shared_from_this();
        error_code error;
        while (acceptor.is_open()) {
            tcp::socket peer =
                co_await acceptor.async_accept(asio::redirect_error(asio::use_awaitable, error));
            if (error || !acceptor.is_open())
                continue; // a peer that is gone again; stop() closes the acceptor
            connections.push_front(std::move(peer));
            asio::co_spawn(acceptor.get_executor(), serve(connections.begin()), rethrow);
        }
    }

    asio::awaitable<void> serve(std::list<tcp::socket>::iterator peer) {
        const auto self = shared_from_this();
        std::string received;
        error_code error;
        while (!stopped) {
            const std::size_t size = co_await asio::async_read_until(
                *peer, asio::dynamic_buffer(received, longest_request), '\n',
                asio::redirect_error(asio::use_awaitable, error));
            if (error || stopped)
                break;
            const auto answer = execute(received.substr(0, size - 1));
            received.erase(0, size);
            if (!answer)
                break;
            co_await asio::async_write(*peer, asio::buffer(*answer),
                                       asio::redirect_error(asio::use_awaitable, error));
            if (error)
                break;
        }
        connections.erase(peer);
    }

    /// Carries a request out. Returns the answer; nothing if the line makes no sense.
    std::optional<std::string_view> execute(const std::string& line) {
        std::istringstream words{line};
        std::string command;
        std::string lock;
        std::string text;
        std::string worker;
        std::string id;
        std::string rest;
        if (!(words >> command >> lock >> text >> worker >> id) || words >> rest ||
            command != "write")
            return std::nullopt;
        const auto token = fencing_token::parse(text);
        if (!token)
            return std::nullopt;
        auto& largest = tokens[lock];
        const bool good = *token >= largest;
        if (good)
            largest = *token;
        ++(good ? accepted : refused);
        history->write(
            "write",
            {{"worker", worker}, {"id", id}, {"lock", lock}, {"token", text}, {"accepted", good}});
        return good ? "ok\n" : "refused\n";
    }

    void stop() {
        stopped = true;
        error_code ignored;
        acceptor.close(ignored);
        for (auto& peer : connections)
            peer.close(ignored);
    }

    tcp::acceptor acceptor;
    const std::uint16_t port;
    history_writer* history;
    std::list<tcp::socket> connections;
    std::map<std::string, fencing_token> tokens;
    std::uint64_t accepted = 0;
    std::uint64_t refused = 0;
    bool stopped = false;
};

fenced_store::fenced_store(asio::any_io_executor executor, history_writer& out)
    : state_{std::make_shared<state>(std::move(executor), out)} {
    asio::co_spawn(state_->acceptor.get_executor(), state_->listen(), rethrow);
}

fenced_store::~fenced_store() { stop(); }

std::uint16_t fenced_store::port() const noexcept { return state_->port; }
std::uint64_t fenced_store::accepted() const noexcept { return state_->accepted; }
std::uint64_t fenced_store::refused() const noexcept { return state_->refused; }
void fenced_store::stop() { state_->stop(); }

fenced_store_client::fenced_store_client(const asio::any_io_executor& executor)
    : socket_{executor} {}

asio::awaitable<void> fenced_store_client::connect(std::uint16_t port) {
    received_.clear();
    const tcp::endpoint where = loopback(port);
    co_await socket_.async_connect(where, asio::use_awaitable);
    socket_.set_option(tcp::no_delay{true});
}

asio::awaitable<bool> fenced_store_client::write(std::string lock, fencing_token token,
                                                 std::string worker, std::string id) {
    const std::string line = "write " + lock + ' ' + token.str() + ' ' + worker + ' ' + id + '\n';
    const auto out = asio::buffer(line);
    co_await asio::async_write(socket_, out, asio::use_awaitable);
    auto in = asio::dynamic_buffer(received_, longest_request);
    const std::size_t size =
        co_await asio::async_read_until(socket_, in, '\n', asio::use_awaitable);
    const bool good = std::string_view{received_}.substr(0, size) == "ok\n";
    received_.erase(0, size);
    co_return good;
}

} // namespace turnstile::test
