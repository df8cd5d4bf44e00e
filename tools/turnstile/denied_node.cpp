// SPDX-License-Identifier: BSL-1.0
#include "denied_node.hpp"

#include "quietly.hpp"

namespace turnstile::command {

namespace asio = boost::asio;

asio::awaitable<std::string> denied_node(session& own, const error_code& why,
                                         const std::string& path) {
    if (why != error::create_denied)
        co_return path;
    const auto [failed, found] = co_await own.check_access(path, quietly);
    co_return failed ? path : found.node;
}

} // namespace turnstile::command
