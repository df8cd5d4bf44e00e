// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace turnstile::chaos {

/// Network namespaces, one for each server, made for one run and removed with it.
///
/// Each two servers have a link of their own, of which each direction can be cut alone. All servers
/// stay reachable from outside, for clients. run_chaos() owns it, and server_faults cuts. Needs
/// root and iproute2. A function whose command fails throws std::runtime_error with the command.
class network {
public:
    /// Says why namespaces cannot be made here; empty if they can.
    [[nodiscard]] static std::string obstacle();

    /// Removes the namespaces of runs that have ended.
    static void remove_stale() noexcept;

    explicit network(std::size_t members);
    network(const network&) = delete;
    network& operator=(const network&) = delete;
    ~network();

    /// What a command begins with to run in the namespace of that server.
    [[nodiscard]] std::vector<std::string> argv_prefix(std::size_t member) const;
    /// The server's address for clients, which are outside.
    [[nodiscard]] std::string client_host(std::size_t member) const;
    /// The server's address for the other servers.
    [[nodiscard]] std::string peer_host(std::size_t member) const;

    /// Drops all packets of `from` to `to`; the other direction stays whole.
    void cut(std::size_t from, std::size_t to);
    void mend(std::size_t from, std::size_t to);
    void mend_all();

private:
    /// Of the namespace; it has this process's number, by which remove_stale() knows the owner.
    [[nodiscard]] std::string name(std::size_t member) const;
    void make_member(std::size_t member);
    void make_link(std::size_t a, std::size_t b);
    void route(std::size_t from, std::size_t to);
    void remove() noexcept;

    std::size_t members_;
    unsigned subnet_; // clients see a server at 10.SUBNET.SERVER.2, servers at 10.SUBNET.0.SERVER
};

} // namespace turnstile::chaos
