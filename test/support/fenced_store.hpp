// SPDX-License-Identifier: BSL-1.0
// A store that checks fencing tokens, as users of a lock should have one, and a client of it. Chaos
// has one beside its workers (store_thread), to which holders write, also late ones.
#pragma once

#include "history_writer.hpp"

#include <turnstile/fencing_token.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace turnstile::test {

/// Keeps the largest token of each lock and refuses writes with a smaller one. The same token may
/// come again, from the same holder. It serves any number of connections on a loopback port:
///
///     write <lock> <token: as fencing_token::str> <worker> <id>\n   ->   ok\n | refused\n
///
/// A line that it does not understand ends the connection. Before it answers, it writes a line
/// "write" into the history: {worker, id, lock, token, accepted}.
///
/// Use it on one thread (or a strand): the one that runs the executor.
class fenced_store {
public:
    /// Listens at once; `out` must outlive the store. Throws boost::system::system_error.
    fenced_store(boost::asio::any_io_executor executor, history_writer& out);
    fenced_store(const fenced_store&) = delete;
    fenced_store& operator=(const fenced_store&) = delete;
    /// As stop().
    ~fenced_store();

    [[nodiscard]] std::uint16_t port() const noexcept;
    [[nodiscard]] std::uint64_t accepted() const noexcept;
    [[nodiscard]] std::uint64_t refused() const noexcept;

    /// Closes the port and all connections; the executor is left without work of this store.
    void stop();

private:
    struct state;
    std::shared_ptr<state> state_;
};

/// One connection to a fenced store. One write at a time: contenders have a client each.
class fenced_store_client {
public:
    explicit fenced_store_client(const boost::asio::any_io_executor& executor);

    /// Throws boost::system::system_error.
    boost::asio::awaitable<void> connect(std::uint16_t port);

    /// Returns whether the store accepted the write. Throws boost::system::system_error if the
    /// store is gone. The words must have no blanks.
    boost::asio::awaitable<bool> write(std::string lock, fencing_token token, std::string worker,
                                       std::string id);

private:
    boost::asio::ip::tcp::socket socket_;
    std::string received_; // what came behind the last answer
};

} // namespace turnstile::test
