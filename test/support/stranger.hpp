// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <cstddef>
#include <string>

namespace turnstile::test {

/// A service that is no ZooKeeper, behind an address where a server is expected.
struct stranger {
    std::string greeting = {};              ///< sent at once
    std::string answer = {};                ///< sent when the client has sent something,
    std::size_t answers_from = 1;           ///< at least this many bytes
    std::string tail = {};                  ///< sent later
    std::chrono::milliseconds tail_after{}; ///< counted from the answer
    bool echoes = false;                    ///< sends back what it gets, beside all that

    /// A web server that does not understand what it is asked.
    static stranger web_server();
    /// 41 bytes in the form of a server's answer to the handshake, with this session and timeout.
    static stranger handshake(std::int64_t session_id, std::int32_t timeout_ms,
                              bool read_only = false);
};

/// Serves one connection until the client leaves.
boost::asio::awaitable<void> serve(stranger as, boost::asio::ip::tcp::socket client);

} // namespace turnstile::test
