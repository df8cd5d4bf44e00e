// From a configured server to the numeric address to try.
#pragma once

#include "protocol/names/server_list.hpp"
#include "zookeeper/session_strand.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <cstddef>
#include <functional>
#include <optional>

namespace turnstile::zookeeper {

/// Names are resolved again at each attempt, since pods change their addresses. Asio's resolver
/// owns a thread of its own, which is never started for numeric addresses.
class resolver {
public:
    /// Nothing where the name has no address.
    using handler = std::function<void(std::optional<boost::asio::ip::tcp::endpoint>)>;

    explicit resolver(const session_strand& executor) : executor_(executor) {}

    /// Completes through the strand, never inline. A name with several addresses yields them in
    /// turn, by the number of the attempt.
    void resolve(const protocol::server_address& server, std::size_t attempt, handler done);
    void cancel() noexcept;

private:
    session_strand executor_;
    std::optional<boost::asio::ip::tcp::resolver> names_;
};

} // namespace turnstile::zookeeper
