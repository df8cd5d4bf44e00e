// SPDX-License-Identifier: BSL-1.0
// From the configured servers to the numeric addresses to try, one after the other.
#pragma once

#include "protocol/names/server_list.hpp"
#include "zookeeper/session_strand.hpp"
#include "zookeeper/step_worker.hpp"

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

/// What a look-up of a name has found.
struct found_addresses {
    std::vector<boost::asio::ip::address> addresses{};
    std::string wrong{}; // why there are none
};

/// Says which address of a server to try next. Each round of attempts looks up the names again,
/// since pods change their addresses. A look-up goes on after its attempt: its answer serves the
/// next one. `client` and `server_move` own one, and call it on the strand.
class resolver {
public:
    resolver(const session_strand& executor, const std::vector<protocol::server_address>& servers);
    ~resolver() { cancel(); }
    resolver(const resolver&) = delete;
    resolver& operator=(const resolver&) = delete;

    /// An attempt at the server begins. This looks up its name, if a new round begins there, and
    /// all names without a known address. `done` runs on the strand when the look-up of this
    /// server's name is over. Returns false if no such look-up is under way.
    bool look_up(std::size_t server, const std::function<void()>& done);
    bool knows(std::size_t server) const { return !places_[server]->addresses.empty(); }
    bool knows_any() const;
    /// The address to try now; nothing if none is known.
    std::optional<boost::asio::ip::tcp::endpoint> due(std::size_t server) const;
    /// Why no address is known.
    const std::string& trouble(std::size_t server) const { return places_[server]->trouble; }
    /// The address that was due did not serve. Returns whether another one is due in this round.
    bool next(std::size_t server);
    /// The address that was due has served until now. A new round begins with another one.
    void served(std::size_t server);
    /// No `done` runs any more, and nothing touches the strand. What the look-ups still find is
    /// lost.
    void cancel() noexcept;

private:
    struct place {
        explicit place(const protocol::server_address& server);

        const std::string name;
        const std::uint16_t port;
        bool is_numeric = false;                           // an address is never looked up
        std::vector<boost::asio::ip::address> addresses{}; // of the last look-up that found any
        std::string trouble{};                             // why the last look-up found none
        std::size_t turn = 0;                              // which of its addresses is due
        std::size_t tried = 0;                             // how many were tried in this round
        std::function<void()> done{};                      // waits for the answer to a look-up
        const std::shared_ptr<step_worker<found_addresses>> worker =
            std::make_shared<step_worker<found_addresses>>();
    };

    /// Looks up a name, unless that is under way.
    void ask(const std::shared_ptr<place>& which);

    session_strand executor_;
    std::vector<std::shared_ptr<place>> places_; // the answers to look-ups refer to them
};

} // namespace turnstile::zookeeper
