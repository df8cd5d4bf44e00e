// SPDX-License-Identifier: BSL-1.0
// The move to a new list of servers.
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

/// Tries the servers of a new list by a TCP connect, again and again, until one can be reached.
/// Meanwhile the session works with the servers that it has: a mistake in a list costs no lock.
/// `client` owns it, and calls it on the strand. If it is destroyed, no handler is called any more.
class server_move : public std::enable_shared_from_this<server_move> {
public:
    /// Called on the strand, and never from within a call of the owner. Each may destroy the
    /// object.
    struct handlers {
        std::function<void()> reached;
        /// All servers were tried in vain. Soon they are tried again.
        std::function<void(const std::string& causes)> failed;
        /// Something threw, and the exception goes on to the executor's caller.
        std::function<void()> threw;
    };

    server_move(const session_strand& executor, protocol::server_list list, handlers to);

    /// The look-up of a server's name may take this long, and so may each of its addresses. As long
    /// is the pause before all servers are tried again.
    void begin(protocol::duration patience);
    /// Acts as if a server was reached, whether one was or not.
    void use_untried();

    const protocol::server_list& list() const { return list_; }
    /// The server that was reached.
    std::size_t server() const { return server_; }
    /// The names of the list; they know the address of server().
    std::unique_ptr<resolver> take_resolver() { return std::move(resolver_); }

private:
    template <class Work>
    auto later(Work work);
    void stop();
    void look_up_name();
    void on_limit();
    void try_connect();
    void try_next_server(const std::string& cause);

    const fork_guard process_;
    session_strand executor_;
    const protocol::server_list list_;
    const handlers to_;
    std::unique_ptr<resolver> resolver_;
    session_socket socket_;
    strand_timer limit_;
    protocol::duration patience_{};
    std::size_t server_;
    std::size_t failed_ = 0;     // how many servers failed in this round
    std::string causes_;         // why they failed
    std::uint64_t step_ = 0;     // handlers of earlier steps are stale
    bool is_connecting_ = false; // a connect is under way
    bool is_over_ = false;       // a server was reached, or use_untried() was called
};

} // namespace turnstile::zookeeper
