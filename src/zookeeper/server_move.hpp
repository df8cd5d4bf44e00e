// SPDX-License-Identifier: BSL-1.0
// A new list of servers, until one of them can be reached.
#pragma once

#include "protocol/names/server_list.hpp"
#include "protocol/time/instant.hpp"
#include "zookeeper/fork_guard.hpp"
#include "zookeeper/resolver.hpp"
#include "zookeeper/session_socket.hpp"
#include "zookeeper/session_strand.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace turnstile::zookeeper {

/// Tries the servers by a connect, again and again, while the session goes on with those that it
/// has: what is wrong with a list costs no lock. All members are called on the strand. Its end
/// stops it.
class server_move : public std::enable_shared_from_this<server_move> {
public:
    /// Called on the strand, and never by a member of this class. Each may end it.
    struct handlers {
        std::function<void()> reached;
        /// All servers were tried in vain, and soon they will be again.
        std::function<void(const std::string& causes)> failed;
        /// Something threw, and the exception goes on to the executor's caller.
        std::function<void()> threw;
    };

    server_move(const session_strand& executor, protocol::server_list list, handlers to);

    /// So long each server may take to be found and reached.
    void begin(protocol::duration patience);
    /// Takes one for reached, whichever it is.
    void stop_trying();

    const protocol::server_list& list() const { return list_; }
    /// The server that was reached.
    std::size_t server() const { return server_; }
    /// They know its address.
    std::unique_ptr<resolver> take_names() { return std::move(names_); }

private:
    template <class Work>
    auto later(Work work);
    void stop();
    void look_up();
    void on_time();
    void knock();
    void pass_by(const std::string& cause);

    const fork_guard process_;
    session_strand executor_;
    const protocol::server_list list_;
    const handlers to_;
    std::unique_ptr<resolver> names_;
    session_socket socket_;
    strand_timer limit_;
    protocol::duration patience_{};
    std::size_t server_;
    std::size_t failed_ = 0;   // of the servers, in this round
    std::string causes_;       // of these
    std::uint64_t step_ = 0;   // handlers of earlier ones are stale
    bool is_knocking_ = false; // at an address
    bool is_over_ = false;     // one is reached, or is taken for it
};

} // namespace turnstile::zookeeper
