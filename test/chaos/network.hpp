// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace turnstile::chaos {

/// Network namespaces, one for each server, made for one run and removed with it.
///
/// Every two of them are joined by a link of their own, so that each direction of each link can be
/// cut alone, while all of them stay reachable from outside. Needs root and iproute2. All functions
/// throw std::runtime_error with the failed command.
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

    [[nodiscard]] std::vector<std::string> argv_prefix(std::size_t member) const;
    [[nodiscard]] std::string client_host(std::size_t member) const; ///< as seen from outside
    [[nodiscard]] std::string peer_host(std::size_t member) const;   ///< as seen by the others

    /// Drops all packets of `from` to `to`; the other direction stays whole.
    void cut(std::size_t from, std::size_t to);
    void mend(std::size_t from, std::size_t to);
    void mend_all();

private:
    [[nodiscard]] std::string name(std::size_t member) const;
    void make_member(std::size_t member);
    void make_link(std::size_t a, std::size_t b);
    void route(std::size_t from, std::size_t to);
    void remove() noexcept;

    std::size_t members_;
    unsigned subnet_; // 10.SUBNET.x.y
};

} // namespace turnstile::chaos
