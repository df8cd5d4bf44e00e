// SPDX-License-Identifier: BSL-1.0
// The servers that a run is measured against: the user's, or private ones.
#pragma once

#include "support/certificates.hpp"
#include "support/ensemble.hpp"
#include "support/zookeeper_server.hpp"

#include <turnstile/options.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::bench {

struct target_choice {
    std::string servers{};     // the user's; empty: private ones, which end with the target
    std::size_t ensemble = 1;  // how many private ones
    bool fsync = false;        // they write to the disk before they answer
    bool tls = false;          // they are spoken to by TLS
    std::string authorities{}; // the same of the user's: who signed their certificates
};

class target {
public:
    explicit target(const target_choice& how);

    const std::string& servers() const { return servers_; }
    /// For the bare client, which takes one address: the first one, with the chroot.
    const std::string& first() const { return first_; }
    std::uint16_t port() const { return counted_.front().port; } // of the first one

    /// How many servers the sessions are spread over evenly: one, or those of a private ensemble.
    std::size_t size() const { return ensemble_ ? ensemble_->size() : 1; }
    /// For session number `i`, so that neighbours in a line are on different servers of a private
    /// ensemble, the bare client's as well as Turnstile's.
    std::string of_session(std::size_t i) const { return ensemble_ ? one(i) : servers_; }
    session_options options(std::size_t i = 0) const {
        session_options how{.servers = of_session(i)};
        if (!authorities_.empty())
            how.tls = tls_options{.authorities_file = authorities_};
        return how;
    }
    /// Empty where TLS is not spoken.
    const std::string& authorities() const { return authorities_; }
    /// The same as one address.
    std::string one(std::size_t i) const;

    /// Whether the server's own counters tell what this process does: it is one server or a private
    /// ensemble, it answers `mntr`, and nobody else is connected to it.
    bool has_counters() const { return no_counters_.empty(); }
    /// Why not.
    const std::string& no_counters() const { return no_counters_; }
    /// Read before and after; the sum over an ensemble. Never reset: a server that is not ours may
    /// be watched by others.
    std::map<std::string, double> counters() const;
    /// The server's, as it tells; "unknown" if it does not.
    std::string version() const;

    /// Processor time that the private servers have used; nothing if there are none.
    std::optional<double> processor_seconds() const;

private:
    struct address {
        std::string host;
        std::uint16_t port = 2181;
    };
    static address parse(const std::string& text);
    static std::string counters_of(const address& which);
    void start(const target_choice& how);
    void look_for_counters();

    std::optional<test::certificates> certificates_;
    std::optional<test::zookeeper_server> own_;
    std::optional<test::ensemble> ensemble_;
    std::vector<std::string> members_; // of the ensemble
    std::string servers_;
    std::string first_;
    std::string authorities_;
    std::vector<address> counted_;
    std::string no_counters_;
};

} // namespace turnstile::bench
