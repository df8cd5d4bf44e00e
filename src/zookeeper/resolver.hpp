// SPDX-License-Identifier: BSL-1.0
// From the configured servers to the numeric addresses to try, one after the other.
#pragma once

#include "protocol/names/server_list.hpp"
#include "zookeeper/session_strand.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::zookeeper {

/// Names are looked up again in each round of attempts, since pods change their addresses. A
/// look-up lives apart from attempts: its answer serves whichever comes next.
class resolver {
public:
    resolver(const session_strand& executor, const std::vector<protocol::server_address>& servers);
    ~resolver() { cancel(); }
    resolver(const resolver&) = delete;
    resolver& operator=(const resolver&) = delete;

    /// An attempt at the server begins. Looks up its name where a new round begins there, and all
    /// names without a known address. `done` runs on the strand when the look-up of this server's
    /// name is over. False where none is under way.
    bool look_up(std::size_t server, const std::function<void()>& done);
    bool knows(std::size_t server) const { return !addresses_of(server).empty(); }
    bool knows_any() const;
    /// Nothing where none is known.
    std::optional<boost::asio::ip::tcp::endpoint> due(std::size_t server) const;
    /// Why none is known.
    std::string trouble(std::size_t server) const;
    /// The one that was due did not serve. True where another one is due in this round.
    bool next(std::size_t server);
    /// The one that was due has served until now: another one is due, in a new round.
    void served(std::size_t server);
    /// No `done` runs any more. The look-ups go on.
    void cancel() noexcept;

private:
    class name_lookup;
    struct place {
        std::shared_ptr<name_lookup> name;
        std::uint16_t port = 0;
        std::size_t turn = 0;  // of its addresses
        std::size_t tried = 0; // of them, in this round
    };

    std::vector<boost::asio::ip::address> addresses_of(std::size_t server) const;

    session_strand executor_;
    std::vector<place> places_;
};

} // namespace turnstile::zookeeper
